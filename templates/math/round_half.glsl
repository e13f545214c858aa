// x rounded to the nearest float16 (ties to even), kept as a float32: overflow from 65520 to infinity, float16
// subnormals, a nan keeps what fits of its bits; integers alone, so no conversion mode of a device takes part.
// max ulp: 0.5 (of float16).
// cost: 31
float vk_round_half(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & 0x80000000u;
    uint magnitude = bits & 0x7fffffffu;
    uint normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & 0xffffe000u;
    normal = normal >= 0x47800000u ? 0x7f800000u : normal;
    // Below 2^-14 the grid is 2^-24: 126 - exponent bits of the significand go.
    uint drop = uint(clamp(126 - int(magnitude >> 23), 13, 26));
    uint significand = (magnitude & 0x7fffffu) | 0x800000u;
    uint half_less_one = (1u << (drop - 1u)) - 1u;
    uint count = (significand + half_less_one + ((significand >> drop) & 1u)) >> drop;
    precise float small = float(count) * 5.96046448e-8;
    uint rounded = magnitude < 0x38800000u ? floatBitsToUint(small) : normal;
    uint nan = magnitude & 0xffffe000u;
    nan = nan == 0x7f800000u ? 0x7fc00000u : nan;
    return uintBitsToFloat(sign | (magnitude > 0x7f800000u ? nan : rounded));
}
