// x / y correctly rounded for any x and y, subnormals and specials included: a quick reciprocal only estimates; a
// remainder in 32-bit integers corrects the quotient, which is then rounded and packed in integers.
// max ulp: 0.5.
// requires: pack quick_reciprocal significand
// cost: 94
float vk_divide_edges(float x, float y) {
    uint x_bits = floatBitsToUint(x);
    uint y_bits = floatBitsToUint(y);
    uint sign = (x_bits ^ y_bits) & 0x80000000u;
    uint x_magnitude = x_bits & 0x7fffffffu;
    uint y_magnitude = y_bits & 0x7fffffffu;
    int x_exponent;
    int y_exponent;
    uint numerator = vk_significand(x_magnitude, x_exponent);
    uint denominator = vk_significand(y_magnitude, y_exponent);
    // 25 bits of quotient: one more than the result has. The estimate starts below the quotient by at most 24.
    int shift = numerator < denominator ? 25 : 24;
    float inverse = vk_quick_reciprocal(float(denominator));
    precise float ratio = float(numerator) * inverse;
    precise float scaled = ratio * intBitsToFloat((shift + 127) << 23);
    uint quotient = uint(scaled) - 16u;
    uint remainder = (numerator << uint(shift)) - quotient * denominator;
    precise float missing = float(remainder) * inverse;
    uint step = uint(missing);
    quotient += step;
    int rest = int(remainder - step * denominator);
    quotient = rest < 0 ? quotient - 1u : quotient;
    rest = rest < 0 ? rest + int(denominator) : rest;
    bool again = rest >= int(denominator);
    quotient = again ? quotient + 1u : quotient;
    rest = again ? rest - int(denominator) : rest;
    uint sticky = rest != 0 ? 1u : 0u;
    float packed = vk_pack(sign, x_exponent - y_exponent + 151 - shift, quotient << 1 | sticky);
    uint bits = floatBitsToUint(packed);
    bool infinite = (x_magnitude == 0x7f800000u) || (y_magnitude == 0u);
    bool zero = (x_magnitude == 0u) || (y_magnitude == 0x7f800000u);
    bits = infinite ? sign | 0x7f800000u : bits;
    bits = zero ? sign : bits;
    bool invalid = (infinite && zero) || max(x_magnitude, y_magnitude) > 0x7f800000u;
    return uintBitsToFloat(invalid ? 0x7fc00000u : bits);
}
