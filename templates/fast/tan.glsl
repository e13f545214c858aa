// Tangent by the driver's own function, for fast_math: as accurate as that is.
float vk_tan(float x) {
    return tan(x);
}
