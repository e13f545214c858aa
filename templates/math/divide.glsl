// x / y by the device's own division, for devices where a probe found it correctly rounded, subnormals kept.
// max ulp: 0.5 (there).
// cost: 1
float vk_divide(float x, float y) {
    precise float quotient = x / y;
    return quotient;
}
