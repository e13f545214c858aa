// e^x - 1: (1 + t) * 2^k - 1, its last two terms exact; x itself where |x| < 2^-24. Above 87 it is summed at half its
// size, so that 2^k stays finite.
// max ulp: 1.8.
// requires: exp_tail
// cost: 40
float vk_expm1(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int k;
    float tail = vk_exp_tail(x, k);
    if (magnitude - 0x33800000u > 0x0f2e0000u) {
        float half_scale = intBitsToFloat((k + 126) << 23);
        precise float half_result = (half_scale - 0.5) + half_scale * tail;
        precise float sum = half_result + half_result;
        uint edge = magnitude > 0x42b20000u ? 0x7f800000u : floatBitsToUint(sum);
        edge = bits >= 0x80000000u ? 0xbf800000u : edge;
        edge = magnitude < 0x33800000u ? bits : edge;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : edge);
    }
    float scale = intBitsToFloat((k + 127) << 23);
    precise float result = (scale - 1.0) + scale * tail;
    return result;
}
