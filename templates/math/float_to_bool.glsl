// Whether x is not zero, nan included, on the bit pattern.
// max ulp: 0.
// cost: 2
bool vk_float_to_bool(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) != 0u;
}
