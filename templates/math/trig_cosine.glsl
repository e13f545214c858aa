// cos(y + low) for |y| <= pi/4: 1 - y^2/2 + y^4 p(y^2), degree 8.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 0.8.
// cost: 12
float vk_trig_cosine(float y, float low) {
    precise float square = y * y;
    precise float p = square * 2.44323383e-5 - 1.38873095e-3;
    p = p * square + 4.16666456e-2;
    precise float result = 1.0 - (square * 0.5 - (square * square * p - y * low));
    return result;
}
