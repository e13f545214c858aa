// x without its fraction, at least 0 and at most 2^32 - 1; 0 for nan.
// max ulp: 0.
// requires: isnan_double
// cost: 25
uint vk_double_to_uint(double x) {
    uvec2 bits = unpackDouble2x32(x);
    int exponent = int((bits.y >> 20) & 2047u) - 1023;
    uint significand = 0x80000000u | ((bits.y & 0xfffffu) << 11) | (bits.x >> 21);
    uint result = significand >> uint(clamp(31 - exponent, 0, 31));
    result = exponent > 31 ? 0xffffffffu : result;
    bool zero = exponent < 0 || bits.y >= 0x80000000u || vk_isnan_double(x);
    return zero ? 0u : result;
}
