// 1 / sqrt(x), two correctly rounded steps; 0 gives infinity of its sign, negative values nan.
// max ulp: 1.5.
// requires: divide sqrt
// cost: 2
float vk_rsqrt(float x) {
    float root = vk_sqrt(x);
    return vk_divide(1.0, root);
}
