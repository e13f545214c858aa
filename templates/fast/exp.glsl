// e^x by the driver's own function, for fast_math: as accurate as that is.
float vk_exp(float x) {
    return exp(x);
}
