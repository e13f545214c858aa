// Logarithm to base 2 by the driver's own function, for fast_math: as accurate as that is.
float vk_log2(float x) {
    return log2(x);
}
