// x / y correctly rounded, subnormals and specials included, on any device: the device's division only
// estimates; a remainder in 32-bit integers corrects the quotient, which is then rounded and packed in integers.
// A result is right while the estimates err by less than 3 ulp. Same function as divide.glsl.
// max ulp: 0.5.
// requires: pack significand
// cost: 83
float vk_divide(float x, float y) {
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
    float divisor = float(denominator);
    precise float ratio = float(numerator) / divisor;
    precise float scaled = ratio * intBitsToFloat((shift + 127) << 23);
    uint quotient = uint(scaled) - 16u;
    uint remainder = (numerator << uint(shift)) - quotient * denominator;
    precise float missing = float(remainder) / divisor;
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
