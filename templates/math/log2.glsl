// Base-2 logarithm: x = (1 + f) * 2^k; log2(1 + f) = f + (f * (log2 e - 1) + f^2 p(f)), whose leading term is
// exact, so near 1 nothing is lost; powers of two are exact.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.5.
// requires: log_split log_edges log_lift
// cost: 43
float vk_log2(float x) {
    uint bits = floatBitsToUint(x);
    uint normal = bits;
    if (bits - 0x00800000u >= 0x7f000000u) {
        if (bits - 1u >= 0x7f7fffffu) {
            return vk_log_edges(bits);
        }
        normal = vk_log_lift(bits);
    }
    int k;
    float f = vk_log_split(normal, k);
    precise float p = -0.110205792;
    p = p * f + 0.186550394;
    p = p * f - 0.191152364;
    p = p * f + 0.204541236;
    p = p * f - 0.239596382;
    p = p * f + 0.288570225;
    p = p * f - 0.360697865;
    p = p * f + 0.480898201;
    p = p * f - 0.721347332;
    precise float square = f * f;
    precise float whole = float(k);
    precise float sum = whole + f;
    precise float lost = f - (sum - whole);
    precise float result = sum + ((f * 0.442695051 + square * p) + lost);
    return result;
}
