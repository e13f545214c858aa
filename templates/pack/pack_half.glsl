// The 16 bits of a float32 as a float16, rounded to nearest even in integers; nan stays nan.
uint vk_pack_half(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = (bits >> 16) & 0x8000u;
    uint magnitude = bits & 0x7fffffffu;
    // A subnormal result drops more than 13 bits, the explicit leading one among those that stay.
    uint drop = uint(clamp(126 - int(magnitude >> 23), 13, 25));
    bool small = magnitude < 0x38800000u;
    uint significand = small ? (magnitude & 0x7fffffu) | 0x800000u : magnitude - 0x38000000u;
    uint half_less_one = (1u << (drop - 1u)) - 1u;
    uint rounded = (significand + half_less_one + ((significand >> drop) & 1u)) >> drop;
    uint finite = min(rounded, 0x7c00u);
    uint special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : 0x7c00u;
    return sign | (magnitude < 0x7f800000u ? finite : special);
}
