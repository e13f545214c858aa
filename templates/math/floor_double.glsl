// Largest integer not above x: the magnitude of a negative value is raised by the fraction's mask, then the
// fraction is cut, all on the bit pattern.
// max ulp: 0.
// requires: cut_double fraction_double
// cost: 41
double vk_floor_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    bool negative = bits.y >= 0x80000000u && ((bits.y << 1) | bits.x) != 0u;
    uvec2 raise = negative ? vk_fraction_double(bits.y) : uvec2(0u, 0u);
    return packDouble2x32(vk_cut_double(bits, raise, negative));
}
