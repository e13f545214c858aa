// Natural logarithm: x = (1 + f) * 2^k, polynomial in f, k * ln 2 in two pieces.
// max ulp: 0.
// requires: log_split log_sum log_edges
// cost: 44
float vk_log(float x) {
    uint bits = floatBitsToUint(x);
    int k;
    float f = vk_log_split(bits, k);
    precise float zero = uintBitsToFloat(0u);
    return vk_log_edges(bits, vk_log_sum(f, zero, k));
}
