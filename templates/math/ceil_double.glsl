// Smallest integer not below x, on the bit pattern as floor; -0.5 gives -0.0 (as NumPy).
// max ulp: 0.
// requires: cut_double fraction_double
// cost: 40
double vk_ceil_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    bool positive = bits.y < 0x80000000u && (bits.y | bits.x) != 0u;
    uvec2 raise = positive ? vk_fraction_double(bits.y) : uvec2(0u, 0u);
    return packDouble2x32(vk_cut_double(bits, raise, positive));
}
