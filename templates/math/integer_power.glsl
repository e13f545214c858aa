// x ** n on 32-bit integers by squaring, wrapping as multiplication does; 0 ** 0 is 1. A negative n gives the
// reciprocal cut to an integer: 1 for x = 1, 1 or -1 for x = -1, else 0 (NumPy raises instead).
// max ulp: 0.
// cost: 15
uint vk_integer_power(uint x, uint n) {
    uint result = 1u;
    uint square = x;
    for (uint rest = n; rest != 0u; rest >>= 1) {
        uint product = result * square;
        result = (rest & 1u) != 0u ? product : result;
        square = square * square;
    }
    return result;
}

int vk_integer_power(int x, int n) {
    uint exponent = uint(n < 0 ? -n : n);
    int power = int(vk_integer_power(uint(x), exponent));
    bool unit = x == 1 || x == -1;
    int reciprocal = unit ? power : 0;
    return n < 0 ? reciprocal : power;
}
