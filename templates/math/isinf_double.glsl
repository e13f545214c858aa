// Whether x is an infinity, on the bit pattern.
// max ulp: 0.
// cost: 4
bool vk_isinf_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    return (bits.y & 0x7fffffffu) == 0x7ff00000u && bits.x == 0u;
}
