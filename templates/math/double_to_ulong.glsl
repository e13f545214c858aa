// x without its fraction, at least 0 and at most 2^64 - 1; 0 for nan.
// max ulp: 0.
// requires: isnan_double
// cost: 23
uint64_t vk_double_to_ulong(double x) {
    uvec2 bits = unpackDouble2x32(x);
    int exponent = int((bits.y >> 20) & 2047u) - 1023;
    uint64_t fraction = packUint2x32(uvec2(bits.x, (bits.y & 0xfffffu) | 0x100000u)) << 11;
    uint64_t result = fraction >> clamp(63 - exponent, 0, 63);
    result = exponent > 63 ? 0xfffffffffffffffful : result;
    bool zero = exponent < 0 || bits.y >= 0x80000000u || vk_isnan_double(x);
    return zero ? 0ul : result;
}
