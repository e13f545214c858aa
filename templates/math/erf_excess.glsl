// erf(x) / x - 1 for |x| <= 1, `square` = x^2: degree 12, the leading 2 / sqrt(pi) - 1 kept apart from the 1.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1 (of erf(x) / x).
// cost: 12
float vk_erf_excess(float square) {
    precise float p = square * 7.88175457e-5 - 8.01942369e-4;
    p = p * square + 5.18951006e-3;
    p = p * square - 2.68545467e-2;
    p = p * square + 0.112836078;
    p = p * square - 0.376126289;
    precise float result = square * p + 0.128379167;
    return result;
}
