// Complementary error function, accurate in relative terms down to the last subnormal (x = 10.05): 1 - x - x e
// with e = erf(x) / x - 1 below 1, else e^(-x^2) u h(t) with u = 1 / (|x| + 1.5), t = (|x| - 1.5) u, or 2 less that for
// negative x. x^2 is held in two floats, the result is scaled in integers.
// Source: minimax polynomials (Sollya fpminimax).
// max ulp: 3.8.
// requires: erf_excess exp_tail quick_reciprocal scale_unit
// cost: 105
float vk_erfc(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    float a = uintBitsToFloat(magnitude);
    float cut = uintBitsToFloat(magnitude & 0xfffff000u);
    precise float high = cut * cut;
    precise float low = (a - cut) * (a + cut);
    precise float power = high + low;
    precise float near = (1.0 - x) - x * vk_erf_excess(power);

    // What rounding took from |x| + 1.5 and from the power is carried into the last product.
    precise float denominator = a + 1.5;
    precise float lost = a - (denominator - 1.5);
    float u = vk_quick_reciprocal(denominator);
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
    // Beyond 9 the right tail nears the subnormals, at 10.25 it has long been 0; the left one is 2.
    if (magnitude > 0x41100000u) {
        uint edge = magnitude > 0x41240000u ? 0u : floatBitsToUint(vk_scale_unit(m, k));
        edge = bits >= 0x80000000u ? 0x40000000u : edge;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : edge);
    }
    precise float right = m * intBitsToFloat((k + 127) << 23);
    precise float left = 2.0 - right;
    float far = bits < 0x80000000u ? right : left;
    return magnitude < 0x3f800000u ? near : far;
}
