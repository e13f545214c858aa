// Hyperbolic tangent: odd polynomial of degree 11 below 0.625, else 1 - 2 / (e^(2|x|) + 1); x itself where
// |x| < 2^-13, 1 beyond 9.02.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 0.
// requires: exp_tail divide
// cost: 49
float vk_tanh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    // At 10 the result has long been 1; the bound keeps 2^k finite.
    float a = uintBitsToFloat(min(magnitude, 0x41200000u));
    precise float square = a * a;
    precise float p = square * -5.69555396e-3 + 2.06306707e-2;
    p = p * square - 5.37371188e-2;
    p = p * square + 0.133314103;
    p = p * square - 0.333332807;
    precise float small = a + a * square * p;
    int k;
    precise float twice = a + a;
    precise float m = vk_exp_tail(twice, k) + 1.0;
    precise float sum = m * intBitsToFloat((k + 127) << 23) + 1.0;
    precise float large = 1.0 - vk_divide(2.0, sum);
    uint result = floatBitsToUint(magnitude < 0x3f200000u ? small : large) | (bits & 0x80000000u);
    result = magnitude < 0x39000000u ? bits : result;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
