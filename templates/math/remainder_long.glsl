// Remainder of floor division of 64-bit integers: integer_floor_modulo_long.glsl.
// max ulp: 0.
// requires: integer_floor_modulo_long
// cost: 18
int64_t vk_remainder_long(int64_t x, int64_t y) {
    return vk_integer_floor_modulo(x, y);
}

uint64_t vk_remainder_long(uint64_t x, uint64_t y) {
    return vk_integer_floor_modulo(x, y);
}
