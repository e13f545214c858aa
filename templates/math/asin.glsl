// Arc sine: odd polynomial up to 1/2, beyond it pi/2 - 2 asin(sqrt((1 - |x|) / 2)) with pi/2 in two pieces;
// x itself where |x| < 2^-13, nan beyond 1.
// max ulp: 1.5.
// requires: asin_tail quick_root
// cost: 48
float vk_asin(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    bool small = magnitude <= 0x3f000000u;
    float a = uintBitsToFloat(magnitude);
    precise float own = a * a;
    precise float other = (1.0 - a) * 0.5;
    float square = small ? own : other;
    float s = small ? a : vk_quick_root(other);
    float tail = vk_asin_tail(s, square);
    precise float near = s + tail;
    precise float twice = s + s;
    precise float high = 1.57079637 - twice;
    precise float lost = (1.57079637 - high) - twice;
    precise float far = high - ((tail + tail) - (lost - 4.37113883e-8));
    uint result = floatBitsToUint(small ? near : far) | (bits & 0x80000000u);
    result = magnitude < 0x39000000u ? bits : result;
    return uintBitsToFloat(magnitude > 0x3f800000u ? 0x7fc00000u : result);
}
