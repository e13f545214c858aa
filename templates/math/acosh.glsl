// Inverse hyperbolic cosine: with t = x - 1, exact, it is log(1 + z) for z = t + sqrt(t (t + 2)), reduced as log1p
// does, so that nothing is lost near 1; log(2 x) from 2^13, nan below 1.
// max ulp: 2.3.
// requires: log_sum log_twice quick_root
// cost: 103
float vk_acosh(float x) {
    uint bits = floatBitsToUint(x);
    if (bits - 0x3f800001u >= 0x067fffffu) {
        uint far = int(bits) < 0x3f800000 ? 0x7fc00000u : floatBitsToUint(vk_log_twice(bits));
        return uintBitsToFloat(bits == 0x3f800000u ? 0u : far);
    }
    precise float t = x - 1.0;
    precise float inner = t * (t + 2.0);
    float root = vk_quick_root(inner);
    precise float z = root + t;
    precise float lost = t - (z - root);
    precise float one_plus = z + 1.0;
    int k = (floatBitsToInt(one_plus) - 0x3f3504f3) >> 23;
    float scale = intBitsToFloat((127 - k) << 23);
    precise float scaled = z * scale;
    precise float offset = scale - 1.0;
    precise float f = offset + scaled;
    precise float low = (scaled - (f - offset)) + lost * scale;
    return vk_log_sum(f, low, k);
}
