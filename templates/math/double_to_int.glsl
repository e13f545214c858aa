// x without its fraction, at least -2^31 and at most 2^31 - 1; 0 for nan.
// max ulp: 0.
// requires: abs_double double_to_uint signbit_double
// cost: 33
int vk_double_to_int(double x) {
    uint magnitude = vk_double_to_uint(vk_abs_double(x));
    bool negative = vk_signbit_double(x);
    uint limit = negative ? 0x80000000u : 0x7fffffffu;
    uint result = min(magnitude, limit);
    return int(negative ? 0u - result : result);
}
