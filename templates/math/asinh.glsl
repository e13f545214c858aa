// Inverse hyperbolic sine: odd polynomial of degree 11 below 0.625, else log(|x| + sqrt(x^2 + 1)) with the rounding
// error of the sum carried, and log(2 |x|) from 2^13; x itself where |x| < 2^-13.
// Source: minimax polynomial (Sollya fpminimax).
// max ulp: 1.8.
// requires: log_pair log_twice quick_root
// cost: 113
float vk_asinh(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    uint sign = bits & 0x80000000u;
    if (magnitude - 0x39000000u >= 0x0d000000u) {
        uint far = floatBitsToUint(vk_log_twice(magnitude)) | sign;
        return uintBitsToFloat(magnitude < 0x39000000u ? bits : far);
    }
    float a = uintBitsToFloat(magnitude);
    precise float square = a * a;
    precise float p = square * -1.01827746e-2 + 2.60543842e-2;
    p = p * square - 4.38782573e-2;
    p = p * square + 7.49388039e-2;
    p = p * square - 0.166665047;
    precise float small = a + a * square * p;

    precise float inner = square + 1.0;
    float root = vk_quick_root(inner);
    precise float sum = root + a;
    precise float lost = a - (sum - root);
    float large = vk_log_pair(sum, lost);
    return uintBitsToFloat(floatBitsToUint(magnitude < 0x3f200000u ? small : large) | sign);
}
