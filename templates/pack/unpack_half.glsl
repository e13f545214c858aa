// The float32 of the 16 bits of a float16, exact; a nan keeps its payload.
float vk_unpack_half(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint magnitude = bits & 0x7fffu;
    uint normal = (magnitude << 13) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    precise float small = float(magnitude) * uintBitsToFloat(0x33800000u);
    uint subnormal = floatBitsToUint(small);
    return uintBitsToFloat(sign | (magnitude < 0x400u ? subnormal : normal));
}
