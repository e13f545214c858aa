// Natural logarithm by the driver's own function, for fast_math: as accurate as that is.
float vk_log(float x) {
    return log(x);
}
