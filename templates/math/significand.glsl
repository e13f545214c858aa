// Splits the magnitude bits of a finite non-zero float32: returns the significand in [2^23, 2^24),
// and the exponent so that the value is significand * 2^(exponent - 150). Subnormals are normalised.
// max ulp: 0.
// cost: 8
uint vk_significand(uint magnitude, out int exponent) {
    uint fraction = magnitude & 0x7fffffu;
    int biased = int(magnitude >> 23);
    int shift = 23 - findMSB(fraction);
    bool normal = biased != 0;
    exponent = normal ? biased : 1 - shift;
    return normal ? fraction | 0x800000u : fraction << uint(shift);
}
