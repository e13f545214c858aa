// Arc sine by the driver's own function, for fast_math: as accurate as that is.
float vk_asin(float x) {
    return asin(x);
}
