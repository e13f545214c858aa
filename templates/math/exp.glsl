// e^x: reduced to (1 + t) * 2^k, scaled so that a subnormal result is rounded once on every device.
// max ulp: 0.
// requires: exp_tail scale_unit
// cost: 37
float vk_exp(float x) {
    uint bits = floatBitsToUint(x);
    int k;
    precise float m = vk_exp_tail(x, k) + 1.0;
    uint result = floatBitsToUint(vk_scale_unit(m, k));
    // Beyond 104 the result is infinite, below -104 zero.
    bool large = (bits & 0x7fffffffu) > 0x42d00000u;
    uint limit = bits < 0x80000000u ? 0x7f800000u : 0u;
    result = large ? limit : result;
    result = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat(result);
}
