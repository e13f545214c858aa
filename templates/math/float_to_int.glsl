// float32 to int32, cut towards zero by shifting the significand; beyond the range the nearest end, nan gives 0.
// max ulp: 0.
// cost: 19
int vk_float_to_int(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int exponent = int(magnitude >> 23) - 150;
    uint significand = (magnitude & 0x7fffffu) | 0x800000u;
    uint left = significand << uint(clamp(exponent, 0, 7));
    uint right = significand >> uint(clamp(-exponent, 0, 31));
    uint whole = exponent < 0 ? right : left;
    whole = magnitude >= 0x4f000000u ? 0x7fffffffu + (bits >> 31) : whole;
    int result = bits >= 0x80000000u ? -int(whole) : int(whole);
    return magnitude > 0x7f800000u ? 0 : result;
}
