// The next float64 from x towards y: one more or less on the magnitude's words; nan with a nan, y where both are
// equal (C99 nextafter).
// max ulp: 0.
// requires: equal_double isnan_double less_double
// cost: 98
double vk_nextafter_double(double x, double y) {
    uvec2 bits = unpackDouble2x32(x);
    bool up = vk_less_double(x, y);
    bool away = up != (bits.y >= 0x80000000u);
    uint low = away ? bits.x + 1u : bits.x - 1u;
    uint high = away && low == 0u ? bits.y + 1u : bits.y;
    high = !away && bits.x == 0u ? bits.y - 1u : high;
    uvec2 next = uvec2(low, high);
    bool zero = ((bits.y << 1) | bits.x) == 0u;
    next = zero ? uvec2(1u, up ? 0u : 0x80000000u) : next;
    next = vk_equal_double(x, y) ? unpackDouble2x32(y) : next;
    next = vk_isnan_double(x) || vk_isnan_double(y) ? uvec2(0u, 0x7ff80000u) : next;
    return packDouble2x32(next);
}
