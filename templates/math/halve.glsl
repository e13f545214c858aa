// x / 2, rounded once to nearest even, in integers: for any finite x, subnormals included.
// max ulp: 0.5.
// cost: 9
float vk_halve(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    // Below two binades of normal values the bits count least subnormals.
    uint rounded = (magnitude + ((magnitude >> 1) & 1u)) >> 1;
    return uintBitsToFloat((magnitude < 0x01000000u ? rounded : magnitude - 0x00800000u) | (bits & 0x80000000u));
}
