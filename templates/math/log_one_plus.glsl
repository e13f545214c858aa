// log(1 + x) = x + x^2 p(x) for 0 <= x <= 1: degree 10; x itself where it is small.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.0.
// cost: 19
float vk_log_one_plus(float x) {
    precise float p = x * -3.41291795e-3 + 2.06257235e-2;
    p = p * x - 5.84450625e-2;
    p = p * x + 0.107583158;
    p = p * x - 0.154003009;
    p = p * x + 0.197104976;
    p = p * x - 0.249613911;
    p = p * x + 0.333307624;
    p = p * x - 0.499999404;
    precise float result = x + x * x * p;
    return result;
}
