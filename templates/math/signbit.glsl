// Whether the sign bit is set: true for -0.0 and for a nan that carries it.
// max ulp: 0.
// cost: 1
bool vk_signbit(float x) {
    return floatBitsToUint(x) >= 0x80000000u;
}
