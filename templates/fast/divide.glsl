// Quotient by the driver's own division, for fast_math: as accurate as that is.
float vk_divide(float x, float y) {
    return x / y;
}
