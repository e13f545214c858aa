// Magnitude of x with the sign of y, nan and signed zeros included (C99 copysign).
// max ulp: 0.
// cost: 6
double vk_copysign_double(double x, double y) {
    uvec2 bits = unpackDouble2x32(x);
    uint sign = unpackDouble2x32(y).y & 0x80000000u;
    return packDouble2x32(uvec2(bits.x, (bits.y & 0x7fffffffu) | sign));
}
