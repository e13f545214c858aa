// x >> count on 64-bit integers, arithmetic for signed ones; a count of 64 or more, or a negative one, gives 0,
// or -1 where x is negative (as NumPy's loops do).
// max ulp: 0.
// cost: 4
uint64_t vk_integer_shift_right(uint64_t x, uint64_t count) {
    uint64_t shifted = x >> (count & 63ul);
    return count < 64ul ? shifted : 0ul;
}

int64_t vk_integer_shift_right(int64_t x, int64_t count) {
    uint64_t bounded = min(uint64_t(count), 63ul);
    return x >> int64_t(bounded);
}
