// exp(x) = (1 + t) * 2^k: returns t in [-0.30, 0.42] and k, for |x| < 2^21; larger ones give nonsense, not faults.
// k = round(x / ln 2) by the 1.5 * 2^23 trick, ln 2 in two pieces (the first exact times k), degree 6.
// Source: Cody-Waite reduction, minimax polynomial (Sollya fpminimax).
// max ulp: 0.6 of 1 + t.
// cost: 19
float vk_exp_tail(float x, out int k) {
    precise float shifted = x * 1.44269502 + 12582912.0;
    k = floatBitsToInt(shifted) - 0x4b400000;
    precise float whole = shifted - 12582912.0;
    precise float high = x - whole * 0.693359375;
    precise float r = high + whole * 2.12194442e-4;
    precise float p = 1.39353413e-3;
    p = p * r + 8.36327858e-3;
    p = p * r + 4.16664630e-2;
    p = p * r + 0.166665763;
    p = p * r + 0.5;
    precise float square = r * r;
    precise float tail = r + square * p;
    return tail;
}
