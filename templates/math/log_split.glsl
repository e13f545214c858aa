// x = (1 + f) * 2^k with 1 + f in [sqrt(1/2), sqrt(2)): returns f, exact, for positive finite bits of x.
// Subnormals are read as integers, whose conversion to float is exact.
// max ulp: 0.
// cost: 10
float vk_log_split(uint bits, out int k) {
    bool subnormal = bits < 0x800000u;
    uint normal = subnormal ? floatBitsToUint(float(bits & 0x7fffffu)) : bits;
    uint shifted = normal - 0x3f3504f3u;
    int base = subnormal ? -149 : 0;
    k = (int(shifted) >> 23) + base;
    precise float f = uintBitsToFloat((shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0;
    return f;
}
