// Smallest integer not below x, on the bit pattern as floor; -0.5 gives -0.0 (as NumPy).
// max ulp: 0.
// cost: 13
float vk_ceil(float x) {
    uint bits = floatBitsToUint(x);
    bool positive = int(bits) > 0;
    int exponent = int((bits >> 23) & 255u) - 127;
    uint fraction = 0x7fffffu >> uint(clamp(exponent, 0, 23));
    uint raised = positive ? bits + fraction : bits;
    uint small = positive ? 0x3f800000u : bits & 0x80000000u;
    uint large = exponent >= 23 ? bits : raised & ~fraction;
    return uintBitsToFloat(exponent < 0 ? small : large);
}
