// Complementary error function, accurate in relative terms down to the last subnormal (x = 10.05): 1 - x - x e
// with e = erf(x) / x - 1 below 1, else e^(-x^2) u h(t) with u = 1 / (|x| + 1.5), t = (|x| - 1.5) u, or 2 less that for
// negative x. x^2 is held in two floats, the result is scaled in integers.
// Source: minimax polynomials (Sollya fpminimax).
// max ulp: 0.
// requires: erf_excess exp_tail divide scale_unit
// cost: 91
float vk_erfc(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    // At 10.25 the result has long been 0 or 2; the bound keeps the powers finite.
    uint bounded = min(magnitude, 0x41240000u);
    float a = uintBitsToFloat(bounded);
    float cut = uintBitsToFloat(bounded & 0xfffff000u);
    precise float high = cut * cut;
    precise float low = (a - cut) * (a + cut);
    precise float power = high + low;
    precise float near = (1.0 - x) - x * vk_erf_excess(power);

    // What rounding took from |x| + 1.5 and from the power is carried into the last product.
    precise float denominator = a + 1.5;
    precise float lost = a - (denominator - 1.5);
    float u = vk_divide(1.0, denominator);
    precise float t = (a - 1.5) * u;
    precise float h = t * 2.25896016e-3 - 5.65602677e-4;
    h = h * t - 9.68203694e-3;
    h = h * t - 8.09955038e-3;
    h = h * t + 4.77796942e-2;
    h = h * t + 7.56206512e-2;
    h = h * t - 0.507850170;
    h = h * t + 0.964756250;
    precise float rest = ((high - power) + low) + lost * u;
    int k;
    float tail = vk_exp_tail(uintBitsToFloat(floatBitsToUint(power) ^ 0x80000000u), k);
    precise float product = h * u;
    precise float m = product + product * (tail - (rest + rest * tail));
    uint right = floatBitsToUint(vk_scale_unit(m, k));
    precise float left = 2.0 - m * intBitsToFloat((max(k, -100) + 127) << 23);
    uint result = bits < 0x80000000u ? right : floatBitsToUint(left);
    result = magnitude < 0x3f800000u ? floatBitsToUint(near) : result;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
