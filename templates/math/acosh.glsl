// Inverse hyperbolic cosine: with t = x - 1, exact, it is log(1 + z) for z = t + sqrt(t (t + 2)), reduced as log1p
// does, so that nothing is lost near 1; log(2 x) from 2^13, nan below 1.
// max ulp: 0.
// requires: log_split log_sum sqrt
// cost: 68
float vk_acosh(float x) {
    uint bits = floatBitsToUint(x);
    bool huge = bits >= 0x46000000u;
    precise float t = x - 1.0;
    precise float inner = t * (t + 2.0);
    float root = vk_sqrt(inner);
    precise float z = root + t;
    precise float lost = t - (z - root);
    precise float one_plus = z + 1.0;
    int k = (floatBitsToInt(one_plus) - 0x3f3504f3) >> 23;
    float scale = intBitsToFloat((127 - clamp(k, 0, 64)) << 23);
    precise float offset = scale - 1.0;
    precise float f = offset + z * scale;
    precise float low = (z * scale - (f - offset)) + lost * scale;

    int huge_k;
    float huge_f = vk_log_split(bits, huge_k);
    uint low_bits = huge ? 0u : floatBitsToUint(low);
    float chosen = huge ? huge_f : f;
    int power = huge ? huge_k + 1 : k;
    uint result = floatBitsToUint(vk_log_sum(chosen, uintBitsToFloat(low_bits), power));
    result = bits == 0x3f800000u ? 0u : result;
    result = int(bits) < 0x3f800000 ? 0x7fc00000u : result;
    return uintBitsToFloat(int(bits) >= 0x7f800000 ? bits : result);
}
