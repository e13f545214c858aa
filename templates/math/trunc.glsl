// The integer part of x, towards zero, by cutting the fraction's bits; the sign is kept on zero.
// max ulp: 0.
// cost: 10
float vk_trunc(float x) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u) - 127;
    uint fraction = 0x7fffffu >> uint(clamp(exponent, 0, 23));
    uint large = exponent >= 23 ? bits : bits & ~fraction;
    return uintBitsToFloat(exponent < 0 ? bits & 0x80000000u : large);
}
