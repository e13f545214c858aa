// x (1 + erf(x / sqrt 2)) / 2, accurate in relative terms in the left tail: x (1/2 + x p(x^2)) below 0.7, else
// x e^(-x^2 / 2) u h(t) with u = 1 / (|x| + 2.75), t = (|x| - 2.75) u, or x less that for positive x. x^2 / 2 is
// held in two floats, the tail is scaled in integers. x = -infinity gives -0.0, the limit.
// Source: minimax polynomials (Sollya fpminimax).
// max ulp: 0.
// requires: exp_tail divide scale
// cost: 120
float vk_gelu_erf(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits & 0x80000000u;
    // At 14.5 the factor has long been 0 or 1; the bound keeps the powers finite.
    uint bounded = min(magnitude, 0x41680000u);
    float a = uintBitsToFloat(bounded);
    float cut = uintBitsToFloat(bounded & 0xfffff000u);
    precise float high = cut * cut * 0.5;
    precise float low = (a - cut) * (a + cut) * 0.5;
    precise float power = high + low;
    precise float square = power + power;
    precise float p = square * 1.09236964e-4 - 1.18821289e-3;
    p = p * square + 9.97487828e-3;
    p = p * square - 6.64906353e-2;
    p = p * square + 0.398942292;
    precise float near = x * (x * p + 0.5);

    // What rounding took from |x| + 2.75 and from the power is carried into the last product.
    precise float denominator = a + 2.75;
    precise float lost = a - (denominator - 2.75);
    float u = vk_divide(1.0, denominator);
    precise float t = (a - 2.75) * u;
    precise float h = t * -4.11099609e-4 - 3.29567267e-4;
    h = h * t + 2.48890091e-3;
    h = h * t + 3.21970042e-3;
    h = h * t - 1.64435711e-2;
    h = h * t - 1.65670794e-2;
    h = h * t + 0.182334363;
    h = h * t - 0.474354088;
    h = h * t + 0.718986034;
    precise float rest = ((high - power) + low) + lost * u;
    int k;
    float tail = vk_exp_tail(uintBitsToFloat(floatBitsToUint(power) ^ 0x80000000u), k);
    precise float product = a * (h * u);
    precise float m = product + product * (tail - (rest + rest * tail));
    uint left = floatBitsToUint(vk_scale(m, k)) | sign;
    precise float right = x - m * intBitsToFloat((max(k, -100) + 127) << 23);
    uint result = bits < 0x80000000u ? floatBitsToUint(right) : left;
    result = magnitude < 0x3f333333u ? floatBitsToUint(near) : result;
    // Half of a tiny x, rounded to even on the subnormal grid.
    uint halved = (magnitude + ((magnitude >> 1) & 1u)) >> 1;
    halved = magnitude < 0x1000000u ? halved : magnitude - 0x800000u;
    result = magnitude < 0x32800000u ? halved | sign : result;
    result = bits == 0x7f800000u ? bits : result;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
