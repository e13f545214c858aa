// log(1 + x): k from the rounded sum 1 + x, then f = (x + 1) * 2^-k - 1 = x * 2^-k + (2^-k - 1), so that nothing
// of a small x is lost; x itself where |x| < 2^-24.
// max ulp: 1.6.
// requires: log_split log_sum
// cost: 81
float vk_log1p(float x) {
    uint bits = floatBitsToUint(x);
    precise float one_plus = 1.0 + x;
    precise float none = uintBitsToFloat(0u);
    // Below -1, beyond 2^60, nan.
    uint sum_bits = floatBitsToUint(one_plus);
    if (sum_bits - 0x33000000u > 0x2a800000u) {
        int far_k;
        float far_f = vk_log_split(bits, far_k);
        uint far = floatBitsToUint(vk_log_sum(far_f, none, far_k));
        far = int(bits) >= 0x7f800000 ? bits : far;
        far = bits >= 0x80000000u ? 0x7fc00000u : far;
        return uintBitsToFloat(bits == 0xbf800000u ? 0xff800000u : far);
    }
    int k = (int(sum_bits) - 0x3f3504f3) >> 23;
    precise float offset = intBitsToFloat((127 - k) << 23) - 1.0;
    precise float f = offset + intBitsToFloat(int(bits) - (k << 23));
    uint result = floatBitsToUint(vk_log_sum(f, none, k));
    return uintBitsToFloat((bits & 0x7fffffffu) < 0x33800000u ? bits : result);
}
