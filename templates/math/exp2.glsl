// 2^x: k = round(x) is exact, degree 6 on the rest, scaled so that it is rounded once; powers of two are
// exact.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.2.
// requires: scale_unit
// cost: 36
float vk_exp2(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    precise float shifted = x + 12582912.0;
    int k = floatBitsToInt(shifted) - 0x4b400000;
    precise float r = x - (shifted - 12582912.0);
    precise float p = 1.54564317e-4;
    p = p * r + 1.33880752e-3;
    p = p * r + 9.61807743e-3;
    p = p * r + 5.55036590e-2;
    p = p * r + 0.240226507;
    p = p * r + 0.693147182;
    precise float m = 1.0 + p * r;
    // Beyond 125 a result may be subnormal or infinite, beyond 150 it is infinite, below -150 zero.
    if (magnitude > 0x42fa0000u) {
        uint far = floatBitsToUint(vk_scale_unit(m, k));
        uint limit = bits < 0x80000000u ? 0x7f800000u : 0u;
        far = magnitude > 0x43160000u ? limit : far;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : far);
    }
    precise float result = m * intBitsToFloat((k + 127) << 23);
    return result;
}
