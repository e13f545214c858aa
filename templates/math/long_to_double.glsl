// The nearest float64, ties to even: both halves are exact, their sum is rounded once.
// max ulp: 0.5.
// cost: 7
double vk_long_to_double(int64_t x) {
    precise double high = double(int(x >> 32)) * 4294967296.0lf;
    precise double sum = high + double(uint(x));
    return sum;
}
