// Right shift of 64-bit integers: integer_shift_right_long.glsl.
// max ulp: 0.
// requires: integer_shift_right_long
// cost: 4
int64_t vk_shift_right_long(int64_t x, int64_t y) {
    return vk_integer_shift_right(x, y);
}

uint64_t vk_shift_right_long(uint64_t x, uint64_t y) {
    return vk_integer_shift_right(x, y);
}
