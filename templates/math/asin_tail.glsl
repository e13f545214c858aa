// asin(s) - s = s * s^2 * p(s^2) for |s| <= 1/2, `square` = s^2: degree 11.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 2 (of the difference).
// cost: 10
float vk_asin_tail(float s, float square) {
    precise float p = square * 4.21650372e-2 + 2.41815336e-2;
    p = p * square + 4.54696380e-2;
    p = p * square + 7.49530718e-2;
    p = p * square + 0.166667521;
    precise float result = s * square * p;
    return result;
}
