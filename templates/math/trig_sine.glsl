// sin(y + low) for |y| <= pi/4: odd polynomial of degree 7; -0.0 and subnormals are the caller's.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 0.6.
// cost: 9
float vk_trig_sine(float y, float low) {
    precise float square = y * y;
    precise float p = square * -1.95180721e-4 + 8.33218824e-3;
    p = p * square - 0.166666552;
    precise float result = y + (y * square * p + low);
    return result;
}
