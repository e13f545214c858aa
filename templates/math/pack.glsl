// A float32 from its parts, rounded to nearest even in integers, overflow to infinity, subnormals packed:
// no float operation, so no rounding or flush mode of a device takes part.
// `significand` is in [2^25, 2^26): 24 bits of result, a guard and a sticky bit; the value is
// significand * 2^(exponent - 152), `exponent` the biased one of a normal result. `sign` is 0 or the top bit.
// max ulp: 0.5 (of its argument).
// cost: 17
float vk_pack(uint sign, int exponent, uint significand) {
    uint drop = uint(clamp(3 - exponent, 2, 28));
    uint half_less_one = (1u << (drop - 1u)) - 1u;
    uint rounded = (significand + half_less_one + ((significand >> drop) & 1u)) >> drop;
    uint bits = (uint(max(exponent, 1) - 1) << 23) + rounded;
    bits = exponent > 254 ? 0x7f800000u : bits;
    return uintBitsToFloat(sign | bits);
}
