// 1 / x, correctly rounded.
// max ulp: 0.5.
// requires: divide
// cost: 1
float vk_reciprocal(float x) {
    return vk_divide(1.0, x);
}
