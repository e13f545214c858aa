// Absolute value: the sign bit cleared, nan and subnormals included.
// max ulp: 0.
// cost: 1
float vk_abs(float x) {
    return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu);
}
