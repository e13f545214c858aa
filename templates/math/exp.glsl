// e^x: reduced to (1 + t) * 2^k. Beyond 87, where a result may be subnormal or infinite, it is scaled so that it is
// rounded once on every device.
// max ulp: 1.1.
// requires: exp_tail scale_unit
// cost: 40
float vk_exp(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int k;
    precise float m = vk_exp_tail(x, k) + 1.0;
    if (magnitude > 0x42ae0000u) {
        uint far = floatBitsToUint(vk_scale_unit(m, k));
        // Beyond 104 the result is infinite, below -104 zero.
        uint limit = bits < 0x80000000u ? 0x7f800000u : 0u;
        far = magnitude > 0x42d00000u ? limit : far;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : far);
    }
    precise float result = m * intBitsToFloat((k + 127) << 23);
    return result;
}
