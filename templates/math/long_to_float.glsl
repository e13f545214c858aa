// int64 to float32, nearest even: the magnitude by ulong_to_float, then the sign.
// max ulp: 0.5.
// requires: ulong_to_float
// cost: 47
float vk_long_to_float(int64_t x) {
    uint64_t magnitude = uint64_t(x < 0l ? -x : x);
    uint bits = floatBitsToUint(vk_ulong_to_float(magnitude));
    uint sign = x < 0l ? 0x80000000u : 0u;
    return uintBitsToFloat(bits | sign);
}
