// x without its fraction, at least -2^63 and at most 2^63 - 1; 0 for nan.
// max ulp: 0.
// requires: abs_double double_to_ulong signbit_double
// cost: 31
int64_t vk_double_to_long(double x) {
    uint64_t magnitude = vk_double_to_ulong(vk_abs_double(x));
    bool negative = vk_signbit_double(x);
    uint64_t limit = negative ? 0x8000000000000000ul : 0x7ffffffffffffffful;
    uint64_t result = min(magnitude, limit);
    return int64_t(negative ? 0ul - result : result);
}
