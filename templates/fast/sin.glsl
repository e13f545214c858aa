// Sine by the driver's own function, for fast_math: as accurate as that is.
float vk_sin(float x) {
    return sin(x);
}
