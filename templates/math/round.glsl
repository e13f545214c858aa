// Nearest integer, ties to even (as NumPy and C99 rint): half a unit less one, plus the bit that makes a tie
// even, is added to the bit pattern and the fraction is cut. The sign is kept on zero.
// max ulp: 0.
// cost: 23
float vk_round(float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u) - 127;
    uint shift = uint(clamp(23 - exponent, 1, 23));
    uint half_less_one = (1u << (shift - 1u)) - 1u;
    uint rounded = (bits + half_less_one + ((bits >> shift) & 1u)) >> shift << shift;
    uint one = (bits & 0x7fffffffu) > 0x3f000000u ? 0x3f800000u : 0u;
    uint small = (bits & 0x80000000u) | one;
    uint large = exponent >= 23 ? bits : rounded;
    return uintBitsToFloat(exponent < 0 ? small : large);
}
