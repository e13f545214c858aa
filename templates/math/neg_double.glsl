// Negation: the sign bit flipped, so that nan, zeros and subnormals keep every other bit.
// max ulp: 0.
// cost: 3
double vk_neg_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    return packDouble2x32(uvec2(bits.x, bits.y ^ 0x80000000u));
}
