// Error function: odd polynomial of degree 13 below 1, else 1 - e^q(|x|) with q of degree 6, 1 from 4 on.
// Below 2^-119 it is x times 2 / sqrt(pi); a subnormal is multiplied as an integer, whose grid is the result's.
// Source: minimax polynomials (Sollya fpminimax and remez).
// max ulp: 1.4.
// requires: erf_excess exp_tail
// cost: 70
float vk_erf(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits & 0x80000000u;
    if (magnitude - 0x04000000u > 0x3c800000u) {
        precise float tiny = uintBitsToFloat(magnitude) * 1.12837917;
        precise float grid = float(magnitude & 0x7fffffu) * 0.128379167 + 0.5;
        uint edge = magnitude < 0x800000u ? magnitude + uint(grid) : floatBitsToUint(tiny);
        edge = magnitude > 0x40000000u ? 0x3f800000u : edge;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : edge | sign);
    }
    float a = uintBitsToFloat(magnitude);
    precise float square = a * a;
    float excess = vk_erf_excess(square);
    precise float near = a + a * excess;

    precise float q = a * 1.87604717e-4 - 2.96011334e-3;
    q = q * a + 2.18896400e-2;
    q = q * a - 0.103218198;
    q = q * a - 0.638012230;
    q = q * a - 1.12717164;
    q = q * a - 3.20574880e-4;
    int k;
    precise float m = vk_exp_tail(q, k) + 1.0;
    precise float far = 1.0 - m * intBitsToFloat((k + 127) << 23);
    return uintBitsToFloat(floatBitsToUint(magnitude < 0x3f800000u ? near : far) | sign);
}
