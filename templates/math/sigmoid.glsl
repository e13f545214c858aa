// 1 / (1 + e^-x); beyond 64, where something subnormal may take part, it is e^x or 1.
// max ulp: 2.9.
// requires: exp exp_tail quick_reciprocal
// cost: 81
float vk_sigmoid(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) > 0x42800000u) {
        float small = vk_exp(x);
        return uintBitsToFloat(int(bits) > 0 && bits <= 0x7f800000u ? 0x3f800000u : floatBitsToUint(small));
    }
    int k;
    precise float m = vk_exp_tail(uintBitsToFloat(bits ^ 0x80000000u), k) + 1.0;
    precise float whole = m * intBitsToFloat((k + 127) << 23) + 1.0;
    return vk_quick_reciprocal(whole);
}
