// m * 2^k, rounded once, in integers: for devices that flush subnormals.
// max ulp: 0.5.
// requires: scale
// cost: 24
float vk_scale_unit(float m, int k) {
    return vk_scale(m, k);
}
