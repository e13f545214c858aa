// sqrt(x^2 + y^2). Where a square could overflow or lose bits, both are divided by the power of two in the larger,
// from their significands, and the root is scaled back in integers. Infinite if either is, even beside a nan (C99).
// max ulp: 1.6.
// requires: significand quick_root scale
// cost: 100
float vk_hypot(float x, float y) {
    uint x_magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint y_magnitude = floatBitsToUint(y) & 0x7fffffffu;
    uint larger = max(x_magnitude, y_magnitude);
    precise float square = x * x + y * y;
    if (larger - 0x27000000u > 0x37000000u) {
        uint smaller = min(x_magnitude, y_magnitude);
        int exponent;
        int smaller_exponent;
        float a = float(vk_significand(larger, exponent));
        float b = float(vk_significand(smaller, smaller_exponent));
        precise float b_scaled = b * intBitsToFloat((max(smaller_exponent - exponent, -60) + 127) << 23);
        precise float scaled = a * a + b_scaled * b_scaled;
        uint result = floatBitsToUint(vk_scale(vk_quick_root(scaled), exponent - 150));
        result = larger == 0u ? 0u : result;
        result = larger > 0x7f800000u ? 0x7fc00000u : result;
        bool infinite = x_magnitude == 0x7f800000u || y_magnitude == 0x7f800000u;
        return uintBitsToFloat(infinite ? 0x7f800000u : result);
    }
    return vk_quick_root(square);
}
