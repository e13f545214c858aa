// Remainder of floor division of 32-bit integers: has the sign of y (as NumPy), x % 0 gives 0.
// Only unsigned magnitudes are divided, which every driver does alike.
// max ulp: 0.
// cost: 18
uint vk_integer_floor_modulo(uint x, uint y) {
    uint divisor = y == 0u ? 1u : y;
    return y == 0u ? 0u : x - x / divisor * divisor;
}

int vk_integer_floor_modulo(int x, int y) {
    uint numerator = uint(x < 0 ? -x : x);
    uint denominator = uint(y < 0 ? -y : y);
    uint divisor = y == 0 ? 1u : denominator;
    uint remainder = numerator - numerator / divisor * divisor;
    uint opposite = remainder == 0u ? 0u : divisor - remainder;
    int magnitude = int((x ^ y) < 0 ? opposite : remainder);
    int result = y < 0 ? -magnitude : magnitude;
    return y == 0 ? 0 : result;
}
