// x ** n on 64-bit integers by squaring, wrapping as multiplication does; 0 ** 0 is 1. A negative n gives the
// reciprocal cut to an integer: 1 for x = 1, 1 or -1 for x = -1, else 0 (NumPy raises instead).
// max ulp: 0.
// cost: 15
uint64_t vk_integer_power(uint64_t x, uint64_t n) {
    uint64_t result = 1ul;
    uint64_t square = x;
    for (uint64_t rest = n; rest != 0ul; rest >>= 1) {
        uint64_t product = result * square;
        result = (rest & 1ul) != 0ul ? product : result;
        square = square * square;
    }
    return result;
}

int64_t vk_integer_power(int64_t x, int64_t n) {
    uint64_t exponent = uint64_t(n < 0l ? -n : n);
    int64_t power = int64_t(vk_integer_power(uint64_t(x), exponent));
    bool unit = x == 1l || x == -1l;
    int64_t reciprocal = unit ? power : 0l;
    return n < 0l ? reciprocal : power;
}
