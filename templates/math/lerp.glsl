// From a to b in a straight line, exact at both ends: from the nearer one. Where b - a overflows, the
// two are weighed instead (their signs differ then, so nothing cancels).
// max ulp: 1.5 (of the largest of a, b and the result, for t in [0, 1]).
// cost: 17
float vk_lerp(float a, float b, float t) {
    precise float way = b - a;
    precise float left = 1.0 - t;
    precise float near = a + t * way;
    precise float far = b - left * way;
    precise float weighed = left * a + t * b;
    uint largest = max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu);
    bool overflows = (floatBitsToUint(way) & 0x7fffffffu) == 0x7f800000u && largest < 0x7f800000u;
    bool first = floatBitsToInt(t) < 0x3f000000;
    uint result = first ? floatBitsToUint(near) : floatBitsToUint(far);
    return uintBitsToFloat(overflows ? floatBitsToUint(weighed) : result);
}
