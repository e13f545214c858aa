// float32 to int64, cut towards zero by shifting the significand; beyond the range the nearest end, nan gives 0.
// max ulp: 0.
// cost: 22
int64_t vk_float_to_long(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int exponent = int(magnitude >> 23) - 150;
    uint significand = (magnitude & 0x7fffffu) | 0x800000u;
    uint64_t left = uint64_t(significand) << uint(clamp(exponent, 0, 39));
    uint right = significand >> uint(clamp(-exponent, 0, 31));
    uint64_t whole = exponent < 0 ? uint64_t(right) : left;
    uint64_t limit = 0x7ffffffffffffffful + uint64_t(bits >> 31);
    whole = magnitude >= 0x5f000000u ? limit : whole;
    int64_t result = bits >= 0x80000000u ? -int64_t(whole) : int64_t(whole);
    return magnitude > 0x7f800000u ? 0l : result;
}
