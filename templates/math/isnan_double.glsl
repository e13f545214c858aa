// Whether x is nan, on the bit pattern.
// max ulp: 0.
// cost: 6
bool vk_isnan_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint high = bits.y & 0x7fffffffu;
    return high > 0x7ff00000u || (high == 0x7ff00000u && bits.x != 0u);
}
