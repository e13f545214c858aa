// Square root by the driver's own function, for fast_math: as accurate as that is.
float vk_sqrt(float x) {
    return sqrt(x);
}
