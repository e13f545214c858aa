// -1, 0 or 1, nan for nan, and 0 for both zeros (as NumPy); exact on subnormals.
// max ulp: 0.
// cost: 7
float vk_sign(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint one = (bits & 0x80000000u) | 0x3f800000u;
    uint unit = magnitude == 0u ? 0u : one;
    return uintBitsToFloat(magnitude > 0x7f800000u ? bits : unit);
}
