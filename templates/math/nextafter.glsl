// The next float32 from x towards y: one more or less on the ordered bit pattern; nan with a nan,
// y where both are equal (C99 nextafter).
// max ulp: 0.
// requires: isnan order
// cost: 24
float vk_nextafter(float x, float y) {
    int from = vk_order(x);
    int to = vk_order(y);
    int step = from < to ? 1 : -1;
    int next = from + step;
    uint zero = step < 0 ? 0u : 0x80000000u;
    uint magnitude = uint(next < 0 ? -next : next);
    uint bits = next < 0 ? magnitude | 0x80000000u : magnitude;
    bits = next == 0 ? zero : bits;
    bits = from == to ? floatBitsToUint(y) : bits;
    bits = vk_isnan(x) || vk_isnan(y) ? 0x7fc00000u : bits;
    return uintBitsToFloat(bits);
}
