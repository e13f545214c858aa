// x >> count on 32-bit integers, arithmetic for signed ones; a count of 32 or more, or a negative one, gives 0,
// or -1 where x is negative (as NumPy's loops do).
// max ulp: 0.
// cost: 4
uint vk_integer_shift_right(uint x, uint count) {
    uint shifted = x >> (count & 31u);
    return count < 32u ? shifted : 0u;
}

int vk_integer_shift_right(int x, int count) {
    uint bounded = min(uint(count), 31u);
    return x >> int(bounded);
}
