// Remainder of floor division of 64-bit integers: has the sign of y (as NumPy), x % 0 gives 0.
// Only unsigned magnitudes are divided, which every driver does alike.
// max ulp: 0.
// cost: 18
uint64_t vk_integer_floor_modulo(uint64_t x, uint64_t y) {
    uint64_t divisor = y == 0ul ? 1ul : y;
    return y == 0ul ? 0ul : x - x / divisor * divisor;
}

int64_t vk_integer_floor_modulo(int64_t x, int64_t y) {
    uint64_t numerator = uint64_t(x < 0l ? -x : x);
    uint64_t denominator = uint64_t(y < 0l ? -y : y);
    uint64_t divisor = y == 0l ? 1ul : denominator;
    uint64_t remainder = numerator - numerator / divisor * divisor;
    uint64_t opposite = remainder == 0ul ? 0ul : divisor - remainder;
    int64_t magnitude = int64_t((x ^ y) < 0l ? opposite : remainder);
    int64_t result = y < 0l ? -magnitude : magnitude;
    return y == 0l ? 0l : result;
}
