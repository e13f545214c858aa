// log(1 + f) + k * ln 2 for f in [sqrt(1/2) - 1, sqrt(2) - 1]: f - f^2/2 + f^3 p(f), degree 10, added to
// k * ln 2 in two pieces with the rounding error of the first sum carried. `low` is a small addend to f.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.0.
// cost: 28
float vk_log_sum(float f, float low, int k) {
    precise float p = -7.28602111e-2;
    p = p * f + 0.1256589;
    p = p * f - 0.13212356;
    p = p * f + 0.142389074;
    p = p * f - 0.166212067;
    p = p * f + 0.1999899;
    p = p * f - 0.250008404;
    p = p * f + 0.333333731;
    precise float square = f * f;
    precise float scale = float(k);
    precise float high = scale * 0.693359375;
    precise float sum = high + f;
    precise float lost = (f - (sum - high)) + low;
    precise float small = square * (p * f - 0.5) + (lost - scale * 2.12194442e-4);
    precise float result = sum + small;
    return result;
}
