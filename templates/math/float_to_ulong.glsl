// float32 to uint64, cut towards zero by shifting the significand; negative values and nan give 0, beyond the
// range 2^64 - 1.
// max ulp: 0.
// cost: 17
uint64_t vk_float_to_ulong(float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u) - 150;
    uint significand = (bits & 0x7fffffu) | 0x800000u;
    uint64_t left = uint64_t(significand) << uint(clamp(exponent, 0, 40));
    uint right = significand >> uint(clamp(-exponent, 0, 31));
    uint64_t whole = exponent < 0 ? uint64_t(right) : left;
    whole = bits >= 0x5f800000u ? 0xfffffffffffffffful : whole;
    return bits > 0x7f800000u ? 0ul : whole;
}
