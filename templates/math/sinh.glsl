// Hyperbolic sine: with x = k * ln 2 + r it is sinh(r) * (2^k + 2^-k) / 2 + cosh(r) * (2^k - 2^-k) / 2, whose
// factors are exact; summed at half its size, so that 2^k stays finite. x itself where |x| < 2^-12.
// max ulp: 1.9.
// requires: exp_halves
// cost: 44
float vk_sinh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    float odd;
    int k;
    float even = vk_exp_halves(uintBitsToFloat(magnitude), odd, k);
    float up = intBitsToFloat((k + 125) << 23);
    float down = intBitsToFloat((125 - min(k, 64)) << 23);
    precise float difference = up - down;
    precise float sum = up + down;
    precise float half_result = difference + (difference * even + sum * odd);
    precise float whole = half_result + half_result;
    // Above 89.5 the result is infinite.
    uint result = magnitude > 0x42b30000u ? 0x7f800000u : floatBitsToUint(whole);
    result |= bits & 0x80000000u;
    result = magnitude < 0x39800000u ? bits : result;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
