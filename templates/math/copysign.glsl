// Magnitude of x with the sign of y, nan and signed zeros included (C99 copysign).
// max ulp: 0.
// cost: 3
float vk_copysign(float x, float y) {
    return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}
