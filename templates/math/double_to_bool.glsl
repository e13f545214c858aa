// Whether x is not zero, nan included, on the bit pattern.
// max ulp: 0.
// cost: 4
bool vk_double_to_bool(double x) {
    uvec2 bits = unpackDouble2x32(x);
    return ((bits.y << 1) | bits.x) != 0u;
}
