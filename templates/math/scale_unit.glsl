// m * 2^k, rounded once, for a magnitude of m within [2^-20, 2^20] and any k: two exact powers of two, of which the
// first product is exact. For devices whose float32 multiplication rounds to subnormals and keeps them.
// max ulp: 0.5 (there).
// cost: 9
float vk_scale_unit(float m, int k) {
    int bounded = clamp(k, -252, 254);
    int half_k = bounded >> 1;
    precise float part = m * intBitsToFloat((half_k + 127) << 23);
    precise float result = part * intBitsToFloat((bounded - half_k + 127) << 23);
    return result;
}
