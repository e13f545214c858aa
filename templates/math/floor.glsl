// Largest integer not above x: the magnitude of a negative value is raised by the fraction's mask, then the
// fraction is cut, all on the bit pattern. Zeros, infinities and nan keep their bits.
// max ulp: 0.
// cost: 13
float vk_floor(float x) {
    uint bits = floatBitsToUint(x);
    bool negative = bits > 0x80000000u;
    int exponent = int((bits >> 23) & 255u) - 127;
    uint fraction = 0x7fffffu >> uint(clamp(exponent, 0, 23));
    uint raised = negative ? bits + fraction : bits;
    uint small = negative ? 0xbf800000u : bits & 0x80000000u;
    uint large = exponent >= 23 ? bits : raised & ~fraction;
    return uintBitsToFloat(exponent < 0 ? small : large);
}
