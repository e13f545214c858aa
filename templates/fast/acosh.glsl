// Inverse hyperbolic cosine by the driver's own function, for fast_math: as accurate as that is.
float vk_acosh(float x) {
    return acosh(x);
}
