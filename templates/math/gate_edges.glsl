// x * sigmoid(high + low), as silu and gelu_tanh define it, where x is below 2^-31 in magnitude, high below -32 or
// above 32, or x nan. Near 0 it is x / 2, rounded in integers. Far above it is x. Far below it is x e^y, scaled so
// that it is rounded once, and -0.0, the limit, where the magnitude's bits are above `last`.
// max ulp: 3.0.
// requires: exp_tail halve scale_unit
// cost: 50
float vk_gate_edges(float x, float high, float low, uint last) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    int k;
    float tail = vk_exp_tail(high, k);
    precise float scaled = x * ((tail + (tail * low + low)) + 1.0);
    uint far = floatBitsToUint(vk_scale_unit(scaled, k));
    far = magnitude > last ? 0x80000000u : far;
    far = bits >= 0x80000000u ? far : bits;
    uint result = magnitude < 0x30000000u ? floatBitsToUint(vk_halve(x)) : far;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
