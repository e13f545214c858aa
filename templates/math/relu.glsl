// x above 0, else 0 (never -0.0); nan stays.
// max ulp: 0.
// cost: 4
float vk_relu(float x) {
    uint bits = floatBitsToUint(x);
    bool cut = bits >= 0x80000000u && bits <= 0xff800000u;
    return uintBitsToFloat(cut ? 0u : bits);
}
