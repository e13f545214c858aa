// Arc cosine by the driver's own function, for fast_math: as accurate as that is.
float vk_acos(float x) {
    return acos(x);
}
