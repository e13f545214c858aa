// Inverse hyperbolic tangent: odd polynomial of degree 11 below 1/2, else log(1 + 2 |x| / (1 - |x|)) / 2 with the
// rounding error of the sum carried; x itself where |x| < 2^-13, infinity at 1, nan beyond.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.2.
// requires: log_pair quick_quotient
// cost: 76
float vk_atanh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits & 0x80000000u;
    if (magnitude - 0x39000000u >= 0x06800000u) {
        uint edge = magnitude == 0x3f800000u ? sign | 0x7f800000u : 0x7fc00000u;
        return uintBitsToFloat(magnitude < 0x39000000u ? bits : edge);
    }
    float a = uintBitsToFloat(magnitude);
    precise float square = a * a;
    precise float p = square * 0.181754723 + 8.24274495e-2;
    p = p * square + 0.146693647;
    p = p * square + 0.199781954;
    p = p * square + 0.333337307;
    precise float small = a + a * square * p;

    precise float twice = a + a;
    precise float rest = 1.0 - a;
    float ratio = vk_quick_quotient(twice, rest);
    precise float sum = 1.0 + ratio;
    precise float lost = 1.0 - (sum - ratio);
    precise float large = vk_log_pair(sum, lost) * 0.5;
    return uintBitsToFloat(floatBitsToUint(magnitude < 0x3f000000u ? small : large) | sign);
}
