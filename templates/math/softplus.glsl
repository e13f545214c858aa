// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
// max ulp: 1.8.
// requires: exp log1p
// cost: 87
float vk_softplus(float x) {
    uint bits = floatBitsToUint(x);
    float rest = vk_log1p(vk_exp(uintBitsToFloat(bits | 0x80000000u)));
    precise float sum = x + rest;
    return uintBitsToFloat(bits < 0x80000000u ? floatBitsToUint(sum) : floatBitsToUint(rest));
}
