// Floor division by NumPy's steps: (x - fmod(x, y)) / y, one less where the signs differ and something is left,
// then the nearest integer. x // 0 is x / 0, a zero has the sign of x / y, an infinite x gives nan.
// Where |x| < 2^-100 both are lifted by 2^64 from their significands; elsewhere a subnormal y, or rest, is below
// half a unit of x: no result hangs on a sum of subnormals.
// max ulp: as NumPy.
// requires: significand significand_modulo divide floor
// cost: 105
float vk_floor_divide(float x, float y) {
    uint x_bits = floatBitsToUint(x);
    uint y_bits = floatBitsToUint(y);
    uint x_magnitude = x_bits & 0x7fffffffu;
    uint y_magnitude = y_bits & 0x7fffffffu;
    uint sign = (x_bits ^ y_bits) & 0x80000000u;
    int x_exponent;
    int y_exponent;
    uint numerator = vk_significand(x_magnitude, x_exponent);
    uint denominator = vk_significand(y_magnitude, y_exponent);
    uint rest = vk_significand_modulo(numerator, denominator, x_exponent - y_exponent);
    int lift = x_magnitude < 0x0d800000u ? 64 : 0;
    // Two factors, as a power of two may lie outside the normal range where its product does not.
    int x_power = x_exponent + lift - 150;
    int y_power = y_exponent + lift - 150;
    float x_first = intBitsToFloat((x_power / 2 + 127) << 23);
    float x_second = intBitsToFloat((x_power - x_power / 2 + 127) << 23);
    float y_first = intBitsToFloat((y_power / 2 + 127) << 23);
    float y_second = intBitsToFloat((y_power - y_power / 2 + 127) << 23);
    precise float x_lifted = float(numerator) * x_first * x_second;
    precise float y_lifted = float(denominator) * y_first * y_second;
    precise float left = float(rest) * y_first * y_second;
    precise float exact = x_lifted - left;
    float divisor = lift != 0 ? y_lifted : uintBitsToFloat(y_magnitude);
    float quotient = vk_divide(exact, divisor);
    bool lower = sign != 0u && rest != 0u;
    precise float below = -1.0 - quotient;
    float signed_quotient = uintBitsToFloat(sign | floatBitsToUint(quotient));
    float result = lower ? below : signed_quotient;
    float floored = vk_floor(result);
    precise float over = result - floored;
    precise float next = floored + 1.0;
    uint bits = floatBitsToUint(over > 0.5 ? next : floored);
    bits = (bits & 0x7fffffffu) == 0u ? sign : bits;
    uint small = lower ? 0xbf800000u : sign;
    bits = x_magnitude < y_magnitude ? small : bits;
    bits = x_magnitude == 0u ? sign : bits;
    bits = y_magnitude == 0u ? sign | 0x7f800000u : bits;
    bool invalid = (x_magnitude == 0u && y_magnitude == 0u) || (x_magnitude == 0x7f800000u && y_magnitude != 0u);
    invalid = invalid || max(x_magnitude, y_magnitude) > 0x7f800000u;
    return uintBitsToFloat(invalid ? 0x7fc00000u : bits);
}
