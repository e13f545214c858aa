// Cosine by the driver's own function, for fast_math: as accurate as that is.
float vk_cos(float x) {
    return cos(x);
}
