// int32 to int64, sign extended: the words put together, since llvmpipe (Mesa 22.3) takes the
// absolute value of a converted one for the value itself.
// max ulp: 0.
// cost: 1
int64_t vk_int_to_long(int x) {
    return int64_t(packUint2x32(uvec2(uint(x), uint(x >> 31))));
}
