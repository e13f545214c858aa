// 1 / (1 + e^-x) from e^-|x|, which never overflows; below 0 the numerator is e^x.
// max ulp: 2.5.
// requires: divide exp
// cost: 41
float vk_sigmoid(float x) {
    uint bits = floatBitsToUint(x);
    float small = vk_exp(uintBitsToFloat(bits | 0x80000000u));
    precise float whole = 1.0 + small;
    uint numerator = bits >= 0x80000000u ? floatBitsToUint(small) : 0x3f800000u;
    return vk_divide(uintBitsToFloat(numerator), whole);
}
