// x / (1 + e^-x).
// max ulp: 3.4.
// requires: gate
// cost: 52
float vk_silu(float x) {
    return vk_gate(x, x, uintBitsToFloat(0u));
}
