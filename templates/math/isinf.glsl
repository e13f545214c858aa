// Whether x is an infinity, on the bit pattern.
// max ulp: 0.
// cost: 2
bool vk_isinf(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u;
}
