// uint64 to float32, nearest even: the upper word that holds the leading bit is normalised, the bits below 26
// become a sticky bit, and one packing rounds.
// max ulp: 0.5.
// requires: opaque pack
// cost: 42
float vk_ulong_to_float(uint64_t x) {
    uint high = uint(x >> 32);
    uint low = uint(x & 0xfffffffful);
    int leading = high != 0u ? findMSB(high) + 32 : findMSB(low);
    uint64_t normal = x << uint(63 - max(leading, 0));
    uint upper = uint(normal >> 32);
    uint dropped = (upper & 0x3fu) | uint(normal & 0xfffffffful);
    uint significand = (upper >> 6) | (dropped != 0u ? 1u : 0u);
    uint bits = floatBitsToUint(vk_pack(0u, leading + 127, significand));
    return uintBitsToFloat(vk_opaque(x == 0ul ? 0u : bits));
}
