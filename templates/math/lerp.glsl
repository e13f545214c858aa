// From a to b in a straight line, exact at both ends: from the nearer one.
// max ulp: 1.5 (of the largest of a, b and the result, for t in [0, 1]).
// cost: 7
float vk_lerp(float a, float b, float t) {
    precise float way = b - a;
    precise float near = a + t * way;
    precise float far = b - (1.0 - t) * way;
    bool first = floatBitsToInt(t) < 0x3f000000;
    return uintBitsToFloat(first ? floatBitsToUint(near) : floatBitsToUint(far));
}
