// The float32 value of the float16 in the low 16 bits, subnormals, infinities and nan included.
// max ulp: 0.
// cost: 11
float vk_half_value(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint magnitude = bits & 0x7fffu;
    uint wide = (magnitude << 13) + 0x38000000u;
    wide = magnitude >= 0x7c00u ? wide + 0x38000000u : wide;
    precise float small = float(magnitude) * 5.96046448e-8;
    return uintBitsToFloat(sign | (magnitude < 0x400u ? floatBitsToUint(small) : wide));
}
