// The 16 bits of a float32 whose value is a float16's (as round_half leaves it), in the low half of a uint.
// max ulp: 0.
// cost: 13
uint vk_half_bits(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = (bits >> 16) & 0x8000u;
    uint normal = (magnitude >> 13) - 0x1c000u;
    normal = magnitude >= 0x7f800000u ? 0x7c00u | ((magnitude >> 13) & 0x3ffu) : normal;
    precise float scaled = uintBitsToFloat(magnitude) * 16777216.0;
    uint small = magnitude < 0x38800000u ? uint(scaled) : normal;
    return sign | small;
}
