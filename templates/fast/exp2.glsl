// 2^x by the driver's own function, for fast_math: as accurate as that is.
float vk_exp2(float x) {
    return exp2(x);
}
