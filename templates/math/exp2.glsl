// 2^x: k = round(x) is exact, degree 6 on the rest, scaled in integers; powers of two are exact.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 0.
// requires: scale_unit
// cost: 33
float vk_exp2(float x) {
    uint bits = floatBitsToUint(x);
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
    uint result = floatBitsToUint(vk_scale_unit(m, k));
    // Beyond 150 the result is infinite, below -150 zero.
    bool large = (bits & 0x7fffffffu) > 0x43160000u;
    uint limit = bits < 0x80000000u ? 0x7f800000u : 0u;
    result = large ? limit : result;
    result = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat(result);
}
