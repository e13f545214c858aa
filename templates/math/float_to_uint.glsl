// float32 to uint32, cut towards zero by shifting the significand; negative values and nan give 0, beyond the
// range 2^32 - 1.
// max ulp: 0.
// cost: 16
uint vk_float_to_uint(float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u) - 150;
    uint significand = (bits & 0x7fffffu) | 0x800000u;
    uint left = significand << uint(clamp(exponent, 0, 8));
    uint right = significand >> uint(clamp(-exponent, 0, 31));
    uint whole = exponent < 0 ? right : left;
    whole = bits >= 0x4f800000u ? 0xffffffffu : whole;
    return bits > 0x7f800000u ? 0u : whole;
}
