// Natural logarithm: x = (1 + f) * 2^k, polynomial in f, k * ln 2 in two pieces.
// max ulp: 1.0.
// requires: log_split log_sum log_edges log_lift
// cost: 45
float vk_log(float x) {
    uint bits = floatBitsToUint(x);
    uint normal = bits;
    if (bits - 0x00800000u >= 0x7f000000u) {
        if (bits - 1u >= 0x7f7fffffu) {
            return vk_log_edges(bits);
        }
        normal = vk_log_lift(bits);
    }
    int k;
    float f = vk_log_split(normal, k);
    precise float zero = uintBitsToFloat(0u);
    return vk_log_sum(f, zero, k);
}
