// x = (1 + f) * 2^k with 1 + f in [sqrt(1/2), sqrt(2)): returns f, exact, for the bits of a normal positive x, or for
// those of log_lift.
// max ulp: 0.
// cost: 5
float vk_log_split(uint bits, out int k) {
    uint shifted = bits - 0x3f3504f3u;
    k = int(shifted) >> 23;
    precise float f = uintBitsToFloat((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0;
    return f;
}
