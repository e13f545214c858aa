// Angle of the point (x, y) by the driver's own function, for fast_math: as accurate as that is.
float vk_atan2(float y, float x) {
    return atan(y, x);
}
