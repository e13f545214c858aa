// atan(t) - t = t * t^2 * p(t^2) for 0 <= t <= 1: degree 19.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 2 (of the difference).
// cost: 19
float vk_atan_tail(float t) {
    precise float square = t * t;
    precise float p = square * -1.79150200e-3 + 1.09045366e-2;
    p = p * square - 3.11577655e-2;
    p = p * square + 5.79358004e-2;
    p = p * square - 8.40205625e-2;
    p = p * square + 0.109516546;
    p = p * square - 0.142641261;
    p = p * square + 0.199985355;
    p = p * square - 0.333332986;
    precise float result = t * square * p;
    return result;
}
