// sqrt(x^2 + y^2) without overflow or underflow: both divided by the power of two in the larger, from their
// significands, and the root scaled back in integers. Infinite if either is, even beside a nan (C99).
// max ulp: 0.
// requires: significand sqrt scale
// cost: 64
float vk_hypot(float x, float y) {
    uint x_magnitude = floatBitsToUint(x) & 0x7fffffffu;
    uint y_magnitude = floatBitsToUint(y) & 0x7fffffffu;
    uint larger = max(x_magnitude, y_magnitude);
    uint smaller = min(x_magnitude, y_magnitude);
    int exponent;
    int smaller_exponent;
    float a = float(vk_significand(larger, exponent));
    float b = float(vk_significand(smaller, smaller_exponent));
    precise float b_scaled = b * intBitsToFloat((max(smaller_exponent - exponent, -60) + 127) << 23);
    precise float square = a * a + b_scaled * b_scaled;
    uint result = floatBitsToUint(vk_scale(vk_sqrt(square), exponent - 150));
    result = larger == 0u ? 0u : result;
    result = larger > 0x7f800000u ? 0x7fc00000u : result;
    bool infinite = x_magnitude == 0x7f800000u || y_magnitude == 0x7f800000u;
    return uintBitsToFloat(infinite ? 0x7f800000u : result);
}
