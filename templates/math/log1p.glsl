// log(1 + x): k from the rounded sum 1 + x, then f = (x + 1) * 2^-k - 1 = x * 2^-k + (2^-k - 1), so that nothing
// of a small x is lost; x itself where |x| < 2^-24.
// max ulp: 0.
// requires: log_sum
// cost: 47
float vk_log1p(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    precise float one_plus = 1.0 + x;
    int k = (floatBitsToInt(one_plus) - 0x3f3504f3) >> 23;
    precise float offset = intBitsToFloat((127 - min(k, 64)) << 23) - 1.0;
    precise float f = offset + intBitsToFloat(int(bits) - (k << 23));
    precise float low = uintBitsToFloat(0u);
    uint result = floatBitsToUint(vk_log_sum(f, low, k));
    result = bits == 0xbf800000u ? 0xff800000u : result;
    result = bits > 0xbf800000u ? 0x7fc00000u : result;
    result = int(bits) >= 0x7f800000 ? bits : result;
    return uintBitsToFloat(magnitude < 0x33800000u ? bits : result);
}
