// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|); beyond 87 it is e^x or x.
// max ulp: 2.3.
// requires: exp exp_tail log_one_plus
// cost: 91
float vk_softplus(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) > 0x42ae0000u) {
        float small = vk_exp(x);
        return uintBitsToFloat(int(bits) > 0 && bits <= 0x7f800000u ? bits : floatBitsToUint(small));
    }
    int k;
    precise float m = vk_exp_tail(uintBitsToFloat(bits | 0x80000000u), k) + 1.0;
    precise float power = m * intBitsToFloat((k + 127) << 23);
    float rest = vk_log_one_plus(power);
    precise float sum = x + rest;
    return bits < 0x80000000u ? sum : rest;
}
