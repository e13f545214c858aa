// Hyperbolic cosine by the driver's own function, for fast_math: as accurate as that is.
float vk_cosh(float x) {
    return cosh(x);
}
