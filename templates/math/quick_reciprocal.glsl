// Nearly 1 / d without a division, for a d of either sign with magnitude in [2^-126, 2^100]: the bits of d taken
// from a constant are 6 % off, two Newton steps leave 3e-6 (from below, where the last product rounds more finely),
// the last one leaves its own rounding. Only products and sums: the same bits on every device.
// max ulp: 1.
// cost: 11
float vk_quick_reciprocal(float d) {
    float guess = intBitsToFloat(0x7ef39c00 - floatBitsToInt(d));
    precise float r = guess * (2.0015 - d * guess);
    r = r * (1.999998 - d * r);
    precise float result = r + r * (1.0 - d * r);
    return result;
}
