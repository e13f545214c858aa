// A positive subnormal as bits with an exponent below the least, for log_split: its bits are an integer, whose
// conversion to float is exact and counts least subnormals, 2^-149.
// max ulp: 0.
// cost: 3
uint vk_log_lift(uint bits) {
    return floatBitsToUint(float(bits & 0x7fffffu)) - 0x4a800000u;
}
