// The nearest float64, ties to even: both halves are exact, their sum is rounded once.
// max ulp: 0.5.
// requires: opaque
// cost: 8
double vk_ulong_to_double(uint64_t x) {
    precise double high = double(uint(x >> 32)) * 4294967296.0lf;
    precise double sum = high + double(vk_opaque(uint(x)));
    return sum;
}
