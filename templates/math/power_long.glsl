// Power of 64-bit integers: integer_power_long.glsl.
// max ulp: 0.
// requires: integer_power_long
// cost: 15
int64_t vk_power_long(int64_t x, int64_t y) {
    return vk_integer_power(x, y);
}

uint64_t vk_power_long(uint64_t x, uint64_t y) {
    return vk_integer_power(x, y);
}
