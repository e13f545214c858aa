// x / y correctly rounded, subnormals and specials included, on any device. Where both are within [2^-45, 2^45] in
// magnitude the quick quotient, less than 1.5 ulp off, leaves a remainder that halves of 12 bits give without
// rounding; set against the divisor times half a place, above and below (where the place of a power of two is half as
// wide), it says whether the next float is nearer. A quotient is never half way. Same function as divide.glsl.
// max ulp: 0.5.
// requires: divide_edges quick_quotient
// cost: 140
float vk_divide(float x, float y) {
    uint x_bits = floatBitsToUint(x);
    uint y_bits = floatBitsToUint(y);
    uint x_magnitude = x_bits & 0x7fffffffu;
    uint y_magnitude = y_bits & 0x7fffffffu;
    if (max(x_magnitude - 0x29000000u, y_magnitude - 0x29000000u) > 0x2d000000u) {
        return vk_divide_edges(x, y);
    }
    float n = uintBitsToFloat(x_magnitude);
    float d = uintBitsToFloat(y_magnitude);
    float quotient = vk_quick_quotient(n, d);
    uint bits = floatBitsToUint(quotient);
    float high = uintBitsToFloat(bits & 0xfffff000u);
    precise float low = quotient - high;
    float d_high = uintBitsToFloat(y_magnitude & 0xfffff000u);
    precise float d_low = d - d_high;
    precise float rest = (((n - high * d_high) - high * d_low) - low * d_high) - low * d_low;
    precise float above = d * uintBitsToFloat((bits & 0x7f800000u) - 0x0c000000u) - rest;
    precise float below = d * uintBitsToFloat(((bits - 1u) & 0x7f800000u) - 0x0c000000u) + rest;
    bits += (floatBitsToUint(above) >> 31) - (floatBitsToUint(below) >> 31);
    return uintBitsToFloat(bits | ((x_bits ^ y_bits) & 0x80000000u));
}
