// Nearly sqrt(x) without a root, for x = 0 or in [2^-100, 2^127]: half the bits of x taken from a constant are 3.5 %
// off 0.79 / sqrt(x), a Newton step (made for that 0.79) leaves 9e-4, one on the root 1.2e-6, the last one its own
// rounding. Only products and sums: the same bits on every device.
// max ulp: 1.
// cost: 16
float vk_quick_root(float x) {
    float guess = uintBitsToFloat(0x5f0b4000u - (floatBitsToUint(x) >> 1));
    precise float inverse = guess * (1.891 - x * guess * guess);
    precise float half_inverse = inverse * 0.5;
    precise float root = x * inverse;
    root = root + root * (0.5 - root * half_inverse);
    precise float result = root + (x - root * root) * half_inverse;
    return result;
}
