// Cosine over the full float32 range: reduced to a quadrant and |y| <= pi/4, one of two short polynomials;
// nan for infinities.
// max ulp: 1.1.
// requires: trig_reduction trig_sine trig_cosine
// cost: 117
float vk_cos(float x) {
    if ((floatBitsToUint(x) & 0x7fffffffu) >= 0x7f800000u) {
        return uintBitsToFloat(0x7fc00000u);
    }
    float low;
    uint quadrant;
    float y = vk_trig_reduction(x, low, quadrant);
    uint sine = floatBitsToUint(vk_trig_sine(y, low));
    uint cosine = floatBitsToUint(vk_trig_cosine(y, low));
    uint result = (quadrant & 1u) != 0u ? sine : cosine;
    return uintBitsToFloat(result ^ (((quadrant + 1u) << 30) & 0x80000000u));
}
