// x << count on 32-bit integers; a count of 32 or more, or a negative one, gives 0 (as NumPy's loops do).
// max ulp: 0.
// cost: 4
uint vk_integer_shift_left(uint x, uint count) {
    uint shifted = x << (count & 31u);
    return count < 32u ? shifted : 0u;
}

int vk_integer_shift_left(int x, int count) {
    int shifted = x << (count & 31);
    return uint(count) < 32u ? shifted : 0;
}
