// Inverse hyperbolic sine: odd polynomial of degree 11 below 0.625, else log(|x| + sqrt(x^2 + 1)) with the rounding
// error of the sum carried, and log(2 |x|) from 2^13; x itself where |x| < 2^-13.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 0.
// requires: log_split log_sum sqrt
// cost: 69
float vk_asinh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    float a = uintBitsToFloat(magnitude);
    precise float square = a * a;
    precise float p = square * -1.01827746e-2 + 2.60543842e-2;
    p = p * square - 4.38782573e-2;
    p = p * square + 7.49388039e-2;
    p = p * square - 0.166665047;
    precise float small = a + a * square * p;

    bool huge = magnitude >= 0x46000000u;
    precise float inner = square + 1.0;
    float root = vk_sqrt(inner);
    precise float sum = root + a;
    precise float lost = a - (sum - root);
    uint sum_bits = huge ? magnitude : floatBitsToUint(sum);
    int k;
    float f = vk_log_split(sum_bits, k);
    precise float scaled = lost * intBitsToFloat((127 - min(k, 64)) << 23);
    uint low_bits = huge ? 0u : floatBitsToUint(scaled);
    int power = huge ? k + 1 : k;
    uint large = floatBitsToUint(vk_log_sum(f, uintBitsToFloat(low_bits), power));

    uint result = magnitude < 0x3f200000u ? floatBitsToUint(small) : large;
    result |= bits & 0x80000000u;
    result = magnitude < 0x39000000u ? bits : result;
    return uintBitsToFloat(magnitude >= 0x7f800000u ? bits : result);
}
