// Inverse hyperbolic sine by the driver's own function, for fast_math: as accurate as that is.
float vk_asinh(float x) {
    return asinh(x);
}
