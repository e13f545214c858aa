// x / (1 + e^-x).
// max ulp: 3.3.
// requires: exp_tail gate_edges quick_quotient
// cost: 90
float vk_silu(float x) {
    uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) - 0x20000000u > 0x22800000u) {
        return vk_gate_edges(x, x, uintBitsToFloat(0u), 0x43000000u);
    }
    int k;
    precise float m = vk_exp_tail(uintBitsToFloat(bits ^ 0x80000000u), k) + 1.0;
    precise float whole = m * intBitsToFloat((k + 127) << 23) + 1.0;
    return vk_quick_quotient(x, whole);
}
