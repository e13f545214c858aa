// Floor division of 32-bit integers: rounds towards minus infinity (as NumPy), x // 0 gives 0, and the most
// negative value by -1 wraps to itself. Only unsigned magnitudes are divided, which every driver does alike.
// max ulp: 0.
// cost: 15
uint vk_integer_floor_divide(uint x, uint y) {
    uint divisor = y == 0u ? 1u : y;
    return y == 0u ? 0u : x / divisor;
}

int vk_integer_floor_divide(int x, int y) {
    uint numerator = uint(x < 0 ? -x : x);
    uint denominator = uint(y < 0 ? -y : y);
    uint divisor = y == 0 ? 1u : denominator;
    uint quotient = numerator / divisor;
    uint rounded_up = quotient * divisor != numerator ? quotient + 1u : quotient;
    int result = (x ^ y) < 0 ? -int(rounded_up) : int(quotient);
    return y == 0 ? 0 : result;
}
