// x above 0, else 0 (never -0.0); nan stays.
// max ulp: 0.
// requires: isnan_double
// cost: 11
double vk_relu_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    bool cut = bits.y >= 0x80000000u && !vk_isnan_double(x);
    return packDouble2x32(cut ? uvec2(0u, 0u) : bits);
}
