// Absolute value: the sign bit cleared, nan and subnormals included.
// max ulp: 0.
// cost: 3
double vk_abs_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    return packDouble2x32(uvec2(bits.x, bits.y & 0x7fffffffu));
}
