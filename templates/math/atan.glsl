// Arc tangent: odd polynomial up to 1, beyond it pi/2 - atan(1 / |x|) with pi/2 in two pieces; x itself where
// |x| < 2^-13, and nan.
// max ulp: 1.6.
// requires: atan_tail quick_reciprocal
// cost: 44
float vk_atan(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    bool small = magnitude <= 0x3f800000u;
    // Beyond 2^30 the reciprocal is lost in pi/2.
    float a = uintBitsToFloat(min(magnitude, 0x4e800000u));
    float inverse = vk_quick_reciprocal(a);
    float t = small ? a : inverse;
    float tail = vk_atan_tail(t);
    precise float near = t + tail;
    precise float far = (1.57079637 - t) - (tail + 4.37113883e-8);
    uint result = floatBitsToUint(small ? near : far) | (bits & 0x80000000u);
    bool curved = magnitude - 0x39000000u <= 0x46800000u;
    return uintBitsToFloat(curved ? result : bits);
}
