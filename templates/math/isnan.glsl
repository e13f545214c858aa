// Whether x is nan, on the bit pattern: drivers fold isnan() and x != x away.
// max ulp: 0.
// cost: 2
bool vk_isnan(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}
