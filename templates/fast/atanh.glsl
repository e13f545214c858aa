// Inverse hyperbolic tangent by the driver's own function, for fast_math: as accurate as that is.
float vk_atanh(float x) {
    return atanh(x);
}
