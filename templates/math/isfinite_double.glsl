// Whether x is neither nan nor an infinity, on the bit pattern.
// max ulp: 0.
// cost: 3
bool vk_isfinite_double(double x) {
    return (unpackDouble2x32(x).y & 0x7fffffffu) < 0x7ff00000u;
}
