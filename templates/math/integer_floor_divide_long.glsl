// Floor division of 64-bit integers: rounds towards minus infinity (as NumPy), x // 0 gives 0, and the most
// negative value by -1 wraps to itself. Only unsigned magnitudes are divided, which every driver does alike.
// max ulp: 0.
// cost: 15
uint64_t vk_integer_floor_divide(uint64_t x, uint64_t y) {
    uint64_t divisor = y == 0ul ? 1ul : y;
    return y == 0ul ? 0ul : x / divisor;
}

int64_t vk_integer_floor_divide(int64_t x, int64_t y) {
    uint64_t numerator = uint64_t(x < 0l ? -x : x);
    uint64_t denominator = uint64_t(y < 0l ? -y : y);
    uint64_t divisor = y == 0l ? 1ul : denominator;
    uint64_t quotient = numerator / divisor;
    uint64_t rounded_up = quotient * divisor != numerator ? quotient + 1ul : quotient;
    int64_t result = (x ^ y) < 0l ? -int64_t(rounded_up) : int64_t(quotient);
    return y == 0l ? 0l : result;
}
