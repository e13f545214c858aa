// The same value as float64, exact on every device: subnormals are normalised in integers.
// max ulp: 0.
// cost: 21
double vk_float_to_double(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int shift = 23 - findMSB(magnitude);
    bool subnormal = magnitude < 0x800000u;
    uint fraction = (subnormal ? magnitude << uint(shift & 31) : magnitude) & 0x7fffffu;
    uint exponent = subnormal ? uint(897 - shift) : (magnitude >> 23) + 896u;
    exponent = magnitude >= 0x7f800000u ? 2047u : exponent;
    exponent = magnitude == 0u ? 0u : exponent;
    uint high = (bits & 0x80000000u) | (exponent << 20) | (fraction >> 3);
    return packDouble2x32(uvec2(fraction << 29, high));
}
