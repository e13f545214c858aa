// 1 / sqrt(x) by the driver's own function, for fast_math: as accurate as that is.
float vk_rsqrt(float x) {
    return inversesqrt(x);
}
