// Hyperbolic tangent: (e^(2|x|) - 1) / (e^(2|x|) + 1), whose numerator loses nothing as e^(2|x|) = 2^k + 2^k t and
// whose denominator is 2 more; x itself where |x| < 2^-13, and nan.
// max ulp: 3.3.
// requires: exp_tail quick_quotient
// cost: 45
float vk_tanh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    // At 10 the result has long been 1; the bound keeps 2^k finite.
    float a = uintBitsToFloat(min(magnitude, 0x41200000u));
    int k;
    precise float twice = a + a;
    float tail = vk_exp_tail(twice, k);
    float scale = intBitsToFloat((k + 127) << 23);
    precise float numerator = (scale - 1.0) + scale * tail;
    precise float denominator = numerator + 2.0;
    uint result = floatBitsToUint(vk_quick_quotient(numerator, denominator)) | (bits & 0x80000000u);
    bool curved = magnitude - 0x39000000u <= 0x46800000u;
    return uintBitsToFloat(curved ? result : bits);
}
