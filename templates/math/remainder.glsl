// Remainder of floor division: fmod by long division of the significands, then y added where the signs differ,
// rounded once; has the sign of y, zeros included. remainder(-1, inf) is inf, x = inf or y = 0 gives nan
// (Python's and NumPy's rule). Integers alone: subnormals are exact on every device.
// max ulp: 0.5.
// requires: significand significand_modulo pack
// cost: 82
float vk_remainder(float x, float y) {
    uint x_bits = floatBitsToUint(x);
    uint y_bits = floatBitsToUint(y);
    uint x_magnitude = x_bits & 0x7fffffffu;
    uint y_magnitude = y_bits & 0x7fffffffu;
    uint sign = y_bits & 0x80000000u;
    int x_exponent;
    int y_exponent;
    uint numerator = vk_significand(x_magnitude, x_exponent);
    uint denominator = vk_significand(y_magnitude, y_exponent);
    int difference = x_exponent - y_exponent;
    uint whole = vk_significand_modulo(numerator, denominator, difference) << 7;
    // |x| < |y|: x on the grid of y with seven more bits, the last one sticky.
    uint shift = uint(clamp(-difference, 0, 31));
    uint aligned = whole >> shift;
    uint sticky = aligned << shift != whole ? 1u : 0u;
    uint rest = aligned | sticky;
    bool opposite = int(x_bits ^ y_bits) < 0 && rest != 0u;
    uint magnitude = opposite ? (denominator << 7) - rest : rest;
    int normal = 30 - findMSB(magnitude);
    uint significand = magnitude << uint(normal);
    uint dropped = (significand & 31u) != 0u ? 1u : 0u;
    uint result = floatBitsToUint(vk_pack(sign, y_exponent - normal, significand >> 5 | dropped));
    result = difference < 0 && !opposite ? x_bits : result;
    result = y_magnitude == 0x7f800000u ? (opposite ? y_bits : x_bits) : result;
    result = rest == 0u ? sign : result;
    bool invalid = x_magnitude >= 0x7f800000u || y_magnitude > 0x7f800000u || y_magnitude == 0u;
    return uintBitsToFloat(invalid ? 0x7fc00000u : result);
}
