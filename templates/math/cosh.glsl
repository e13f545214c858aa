// Hyperbolic cosine: with |x| = k * ln 2 + r it is (2^k e^r + 2^-k e^-r) / 2, both powers of e made of cosh(r) - 1
// and sinh(r); summed at half its size, so that 2^k stays finite.
// max ulp: 1.5.
// requires: exp_halves
// cost: 41
float vk_cosh(float x) {
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    float odd;
    int k;
    float even = vk_exp_halves(uintBitsToFloat(magnitude), odd, k);
    float up = intBitsToFloat((k + 125) << 23);
    float down = intBitsToFloat((125 - min(k, 64)) << 23);
    precise float growth = even + odd;
    precise float decay = 1.0 + (even - odd);
    precise float half_result = up + (up * growth + down * decay);
    precise float whole = half_result + half_result;
    // Above 89.5 the result is infinite.
    uint result = magnitude > 0x42b30000u ? 0x7f800000u : floatBitsToUint(whole);
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
