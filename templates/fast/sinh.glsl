// Hyperbolic sine by the driver's own function, for fast_math: as accurate as that is.
float vk_sinh(float x) {
    return sinh(x);
}
