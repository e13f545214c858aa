// The fraction's bits of a double whose high word is `high` and whose magnitude is at least 1: a mask of two
// words, low and high; no bits from 2^52 on, for infinities and nan.
// max ulp: 0.
// cost: 11
uvec2 vk_fraction_double(uint high) {
    int exponent = int((high >> 20) & 2047u) - 1023;
    uint upper = exponent < 20 ? 0xfffffu >> uint(max(exponent, 0)) : 0u;
    uint lower = 0xffffffffu >> uint(clamp(exponent - 20, 0, 31));
    return uvec2(exponent > 51 ? 0u : lower, upper);
}
