// Base-10 logarithm: x = (1 + f) * 2^k; log10(1 + f) = f / 2 + (f * (log10 e - 1/2) + f^2 p(f)), whose leading
// term is exact; log10(2) in two pieces.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.2.
// requires: log_split log_edges log_lift
// cost: 47
float vk_log10(float x) {
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
    precise float p = -3.30784842e-2;
    p = p * f + 5.60774207e-2;
    p = p * f - 5.75430244e-2;
    p = p * f + 6.15869276e-2;
    p = p * f - 7.21275955e-2;
    p = p * f + 8.68675411e-2;
    p = p * f - 0.108580746;
    p = p * f + 0.144764796;
    p = p * f - 0.217147186;
    precise float square = f * f;
    precise float whole = float(k);
    precise float high = whole * 0.301025391;
    precise float half_f = f * 0.5;
    precise float sum = high + half_f;
    precise float lost = half_f - (sum - high);
    precise float result = sum + ((f * -6.57055154e-2 + square * p) + (lost + whole * 4.60503907e-6));
    return result;
}
