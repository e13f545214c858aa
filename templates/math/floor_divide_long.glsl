// Floor division of 64-bit integers: integer_floor_divide_long.glsl.
// max ulp: 0.
// requires: integer_floor_divide_long
// cost: 15
int64_t vk_floor_divide_long(int64_t x, int64_t y) {
    return vk_integer_floor_divide(x, y);
}

uint64_t vk_floor_divide_long(uint64_t x, uint64_t y) {
    return vk_integer_floor_divide(x, y);
}
