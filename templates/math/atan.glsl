// Arc tangent: odd polynomial up to 1, beyond it pi/2 - atan(1 / |x|) with pi/2 in two pieces; x itself where
// |x| < 2^-13.
// max ulp: 0.
// requires: atan_tail divide
// cost: 34
float vk_atan(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    bool small = magnitude <= 0x3f800000u;
    float a = uintBitsToFloat(magnitude);
    float inverse = vk_divide(1.0, a);
    float t = small ? a : inverse;
    float tail = vk_atan_tail(t);
    precise float near = t + tail;
    precise float far = (1.57079637 - t) - (tail + 4.37113883e-8);
    uint result = floatBitsToUint(small ? near : far) | (bits & 0x80000000u);
    result = magnitude < 0x39000000u ? bits : result;
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
