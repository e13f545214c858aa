// Hyperbolic tangent by the driver's own function, for fast_math: as accurate as that is.
float vk_tanh(float x) {
    return tanh(x);
}
