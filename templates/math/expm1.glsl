// e^x - 1: (1 + t) * 2^k - 1 summed at half its size, so that 2^k stays finite; x itself where |x| < 2^-24.
// max ulp: 0.
// requires: exp_tail
// cost: 34
float vk_expm1(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int k;
    float tail = vk_exp_tail(x, k);
    float half_scale = intBitsToFloat((k + 126) << 23);
    precise float half_result = (half_scale - 0.5) + half_scale * tail;
    precise float sum = half_result + half_result;
    uint result = floatBitsToUint(sum);
    // Above 89 the result is infinite, below -18 it is -1.
    result = int(bits) > 0x42b20000 ? 0x7f800000u : result;
    result = bits > 0xc1900000u ? 0xbf800000u : result;
    result = magnitude < 0x33800000u ? bits : result;
    result = magnitude > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat(result);
}
