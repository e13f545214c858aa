// Arc cosine: pi/2 - asin(x) up to 1/2, beyond it 2 asin(sqrt((1 - |x|) / 2)), or pi less that for negative x;
// pi/2 and pi in two pieces, nan beyond 1.
// max ulp: 1.4.
// requires: asin_tail quick_root
// cost: 45
float vk_acos(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    bool small = magnitude <= 0x3f000000u;
    bool negative = bits >= 0x80000000u;
    float a = uintBitsToFloat(magnitude);
    precise float own = a * a;
    precise float other = (1.0 - a) * 0.5;
    float square = small ? own : other;
    float s = small ? x : vk_quick_root(other);
    float tail = vk_asin_tail(s, square);
    precise float near = 1.57079637 - (s + (tail + 4.37113883e-8));
    precise float half_far = s + tail;
    precise float far = half_far + half_far;
    precise float half_turned = 1.57079637 - (s + (tail + 4.37113883e-8));
    precise float turned = half_turned + half_turned;
    uint result = floatBitsToUint(negative ? turned : far);
    result = small ? floatBitsToUint(near) : result;
    return uintBitsToFloat(magnitude > 0x3f800000u ? 0x7fc00000u : result);
}
