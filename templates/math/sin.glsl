// Sine over the full float32 range: reduced to a quadrant and |y| <= pi/4, one of two short polynomials;
// x itself where |x| < 2^-12, nan for infinities.
// max ulp: 1.1.
// requires: trig_reduction trig_sine trig_cosine
// cost: 119
float vk_sin(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    if (magnitude - 0x39800000u >= 0x46000000u) {
        return uintBitsToFloat(magnitude < 0x39800000u ? bits : 0x7fc00000u);
    }
    float low;
    uint quadrant;
    float y = vk_trig_reduction(x, low, quadrant);
    uint sine = floatBitsToUint(vk_trig_sine(y, low));
    uint cosine = floatBitsToUint(vk_trig_cosine(y, low));
    uint result = (quadrant & 1u) != 0u ? cosine : sine;
    return uintBitsToFloat(result ^ ((quadrant << 30) & 0x80000000u));
}
