// Nearly n / d without a division, as quick_reciprocal, the last step taken on the quotient: for a d with magnitude
// in [2^-126, 2^100], and an n for which 2^-24 n and 2^-24 n / d are normal, or n = 0.
// max ulp: 1.5.
// cost: 12
float vk_quick_quotient(float n, float d) {
    float guess = intBitsToFloat(0x7ef39c00 - floatBitsToInt(d));
    precise float r = guess * (2.0015 - d * guess);
    r = r * (2.0 - d * r);
    precise float q = n * r;
    precise float result = q + r * (n - q * d);
    return result;
}
