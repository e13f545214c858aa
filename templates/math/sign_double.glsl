// -1, 0 or 1, nan for nan, and 0 for both zeros (as NumPy).
// max ulp: 0.
// requires: isnan_double
// cost: 15
double vk_sign_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint one = (bits.y & 0x80000000u) | 0x3ff00000u;
    bool zero = ((bits.y << 1) | bits.x) == 0u;
    uvec2 unit = uvec2(0u, zero ? 0u : one);
    return packDouble2x32(vk_isnan_double(x) ? bits : unit);
}
