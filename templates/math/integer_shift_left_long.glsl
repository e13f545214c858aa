// x << count on 64-bit integers; a count of 64 or more, or a negative one, gives 0 (as NumPy's loops do).
// max ulp: 0.
// cost: 4
uint64_t vk_integer_shift_left(uint64_t x, uint64_t count) {
    uint64_t shifted = x << (count & 63ul);
    return count < 64ul ? shifted : 0ul;
}

int64_t vk_integer_shift_left(int64_t x, int64_t count) {
    int64_t shifted = x << (count & 63l);
    return uint64_t(count) < 64ul ? shifted : 0l;
}
