// A float32 that rounds to the float16 nearest to x: cut to 24 bits with the lowest bit set where anything was
// cut, so that the rounding that follows sees every tie as it is (rounding to odd).
// max ulp: 0 (after the rounding to float16).
// requires: isnan_double
// cost: 28
float vk_double_to_half(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint sign = bits.y & 0x80000000u;
    int exponent = int((bits.y >> 20) & 2047u) - 896;
    uint sticky = (bits.x & 0x1fffffffu) != 0u ? 1u : 0u;
    uint fraction = ((bits.y & 0xfffffu) << 3) | (bits.x >> 29) | sticky;
    uint magnitude = (uint(clamp(exponent, 0, 254)) << 23) | fraction;
    magnitude = exponent < 1 ? 0u : magnitude;
    magnitude = exponent > 254 ? 0x7f800000u : magnitude;
    return uintBitsToFloat(sign | (vk_isnan_double(x) ? 0x7fc00000u : magnitude));
}
