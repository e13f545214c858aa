// x^y, nan for negative x, by the driver's own function, for fast_math: as accurate as that is.
float vk_pow(float x, float y) {
    return pow(x, y);
}
