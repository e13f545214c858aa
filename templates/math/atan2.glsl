// Angle of the point (x, y), with C99's quadrants, signed zeros and infinities: the smaller magnitude over the
// larger, an odd polynomial, then added to or taken from pi/2 or pi, which are in two pieces.
// max ulp: 2.3.
// requires: atan_tail divide quick_quotient
// cost: 67
float vk_atan2(float y, float x) {
    uint y_bits = floatBitsToUint(y);
    uint x_bits = floatBitsToUint(x);
    uint y_magnitude = y_bits & 0x7fffffffu;
    uint x_magnitude = x_bits & 0x7fffffffu;
    bool steep = y_magnitude > x_magnitude;
    bool left = x_bits >= 0x80000000u;
    uint smaller = min(x_magnitude, y_magnitude);
    uint larger = max(x_magnitude, y_magnitude);
    uint ratio = floatBitsToUint(vk_quick_quotient(uintBitsToFloat(smaller), uintBitsToFloat(larger)));
    // Unless both are within [2^-45, 2^45], of which the subtraction is the test of both sides.
    if (max(smaller - 0x29000000u, larger - 0x29000000u) > 0x2d000000u) {
        ratio = floatBitsToUint(vk_divide(uintBitsToFloat(smaller), uintBitsToFloat(larger)));
        ratio = smaller == 0x7f800000u ? 0x3f800000u : ratio;
        ratio = larger == 0u ? 0u : ratio;
        ratio = larger > 0x7f800000u ? larger : ratio;
    }
    float t = uintBitsToFloat(ratio);
    float tail = vk_atan_tail(t);
    // pi/2 +- u where steep, pi - u or u elsewhere.
    uint turn = steep ? 0x3fc90fdbu : 0x40490fdbu;
    float turn_low = steep ? -4.37113883e-8 : -8.74227766e-8;
    uint flip = steep != left ? 0x80000000u : 0u;
    float signed_t = uintBitsToFloat(ratio ^ flip);
    float signed_tail = uintBitsToFloat(floatBitsToUint(tail) ^ flip);
    precise float high = uintBitsToFloat(turn) + signed_t;
    precise float lost = signed_t - (high - uintBitsToFloat(turn));
    precise float turned = high + (lost + (signed_tail + turn_low));
    precise float near = t + tail;
    uint result = ratio < 0x39000000u ? ratio : floatBitsToUint(near);
    result = steep || left ? floatBitsToUint(turned) : result;
    result |= y_bits & 0x80000000u;
    return uintBitsToFloat(larger > 0x7f800000u ? 0x7fc00000u : result);
}
