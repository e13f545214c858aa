// Tangent over the full float32 range: an odd polynomial of the reduced argument, degree 15, and minus its
// reciprocal in odd quadrants; x itself where |x| < 2^-13, nan for infinities.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 2.2.
// requires: quick_reciprocal trig_reduction
// cost: 127
float vk_tan(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude - 0x39000000u >= 0x46800000u) {
        return uintBitsToFloat(magnitude < 0x39000000u ? bits : 0x7fc00000u);
    }
    float low;
    uint quadrant;
    float y = vk_trig_reduction(x, low, quadrant);
    precise float square = y * y;
    precise float p = square * 4.37776607e-3 + 8.90063384e-5;
    p = p * square + 1.08337989e-2;
    p = p * square + 2.12841779e-2;
    p = p * square + 5.40592074e-2;
    p = p * square + 0.133326739;
    p = p * square + 0.333333492;
    precise float slope = square + square * square;
    precise float tangent = y + (y * square * p + (low + low * slope));
    float inverse = vk_quick_reciprocal(tangent);
    return (quadrant & 1u) != 0u ? uintBitsToFloat(floatBitsToUint(inverse) ^ 0x80000000u) : tangent;
}
