// The nearest float32, ties to even, subnormals and overflow included, in integers.
// max ulp: 0.5.
// requires: isnan_double pack
// cost: 38
float vk_double_to_float(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint sign = bits.y & 0x80000000u;
    int exponent = int((bits.y >> 20) & 2047u) - 896;
    uint sticky = (bits.x & 0x7ffffffu) != 0u ? 1u : 0u;
    uint significand = 0x2000000u | ((bits.y & 0xfffffu) << 5) | (bits.x >> 27) | sticky;
    uint result = floatBitsToUint(vk_pack(sign, exponent, significand));
    return uintBitsToFloat(vk_isnan_double(x) ? 0x7fc00000u | sign : result);
}
