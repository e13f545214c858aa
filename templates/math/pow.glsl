// x^y = 2^(y log2 |x|). log2 is summed in two floats: |x| = m * 2^k, m times one of three short constants c leaves
// |f| < 1/8 exactly, then log2(1 + f) = log2 e * (f - f^2/2 + f^3 p(f)) with the first two terms in two pieces.
// The exponent's integer part scales in integers, its first 12 fraction bits enter the sum 1 + t exactly, so
// results that are integers below 2^24 come out exact. Special values are C99's.
// Source: minimax polynomials (Sollya fpminimax); products are exact because factors are cut to 12 bits.
// max ulp: 1.5 (of 2^25 pairs).
// requires: log_lift log_split scale_unit
// cost: 171
float vk_pow(float x, float y) {
    uint x_bits = floatBitsToUint(x);
    uint y_bits = floatBitsToUint(y);
    uint x_magnitude = x_bits & 0x7fffffffu;
    uint y_magnitude = y_bits & 0x7fffffffu;
    uint base = x_bits;
    float y_bounded = y;
    bool rare = max(x_bits - 0x00800000u, y_magnitude + 0x2b800000u) >= 0x7f000000u;
    if (rare) {
        // A |y| beyond 2^40 decides by the sign of the logarithm alone.
        base = x_magnitude < 0x800000u ? vk_log_lift(x_magnitude) : x_magnitude;
        y_bounded = uintBitsToFloat((y_bits & 0x80000000u) | min(y_magnitude, 0x53800000u));
    }

    // |x| = (1 + f0) * 2^k, f = (1 + f0) * c - 1 in two floats.
    int k;
    precise float m = 1.0 + vk_log_split(base, k);
    uint m_bits = floatBitsToUint(m);
    bool low = m_bits < 0x3f641200u;
    bool high = m_bits > 0x3f900000u;
    float c = low ? 1.25 : 1.0;
    c = high ? 0.796875 : c;
    uint base_bits = low ? 0xbea4d400u : 0u;
    base_bits = high ? 0x3ea7b800u : base_bits;
    float base_low = low ? 1.83675330e-6 : -1.02556522e-6;
    uint base_low_bits = low || high ? floatBitsToUint(base_low) : 0u;
    precise float whole_log = float(k) + uintBitsToFloat(base_bits);
    float m_high = uintBitsToFloat(m_bits & 0xfffff000u);
    precise float first = m_high * c - 1.0;
    precise float second = (m - m_high) * c;
    precise float f = first + second;
    precise float f_low = second - (f - first);

    // log(1 + f) = g + g_low.
    float f_high = uintBitsToFloat(floatBitsToUint(f) & 0xfffff000u);
    precise float half_square = f_high * f_high * 0.5;
    precise float rest_square = (f - f_high) * (f + f_high) * 0.5;
    precise float p = -0.124489419;
    p = p * f + 0.146032423;
    p = p * f - 0.166705310;
    p = p * f + 0.199972466;
    p = p * f - 0.249999791;
    p = p * f + 0.333333403;
    precise float cubic = f * f * f * p;
    precise float g = f - half_square;
    precise float lost = (f - g) - half_square;
    precise float g_low = ((f_low - f_low * f) - rest_square) + (lost + cubic);

    // log2 |x| = log_high + log_low.
    float g_high = uintBitsToFloat(floatBitsToUint(g) & 0xfffff000u);
    precise float g_rest = (g - g_high) + g_low;
    precise float product = g_high * 1.44287109;
    precise float product_low = g_high * -1.76052854e-4 + g_rest * 1.44269502;
    precise float log_sum = whole_log + product;
    precise float log_lost = product - (log_sum - whole_log);
    float log_high = uintBitsToFloat(floatBitsToUint(log_sum) & 0xfffff000u);
    precise float log_low = (log_sum - log_high) + (log_lost + (product_low + uintBitsToFloat(base_low_bits)));

    // y log2 |x| = t + t_low.
    float y_high = uintBitsToFloat(floatBitsToUint(y_bounded) & 0xfffff000u);
    precise float t = log_high * y_high;
    precise float t_low = log_high * (y_bounded - y_high) + log_low * y_bounded;

    // 2^(t + t_low) = (1 + (r + r_low)) * 2^n with r a multiple of 2^-12.
    precise float near = ((t + t_low) + 3072.0) - 3072.0;
    precise float shifted = near + 12582912.0;
    int n = floatBitsToInt(shifted) - 0x4b400000;
    precise float r = near - (shifted - 12582912.0);
    precise float r_low = (t - near) + t_low;
    precise float r_sum = r + r_low;
    precise float q = 1.53279674e-4;
    q = q * r_sum + 1.33904174e-3;
    q = q * r_sum + 9.61850304e-3;
    q = q * r_sum + 5.55036180e-2;
    q = q * r_sum + 0.240226477;
    precise float tail = (r * 5.64718056e-3 + r_low * 0.693147182) + r_sum * r_sum * q;
    precise float mantissa = (r * 0.6875 + 1.0) + tail;
    uint t_bits = floatBitsToUint(t);
    if (!rare && (t_bits & 0x7fffffffu) < 0x42fa0000u) {
        precise float usual = mantissa * intBitsToFloat((n + 127) << 23);
        return usual;
    }
    uint result = floatBitsToUint(vk_scale_unit(mantissa, n));
    uint limit = t_bits < 0x80000000u ? 0x7f800000u : 0u;
    result = (t_bits & 0x7fffffffu) > 0x43480000u ? limit : result;

    // An integer y has no bits below the unit; an odd one has the unit's bit.
    int y_exponent = int(y_magnitude >> 23);
    uint y_significand = (y_magnitude & 0x7fffffu) | 0x800000u;
    uint unit = 1u << uint(clamp(150 - y_exponent, 0, 31));
    bool whole = y_exponent > 150 || (y_significand & (unit - 1u)) == 0u;
    bool odd = y_exponent <= 150 && whole && (y_significand & unit) != 0u;
    uint edge = (x_magnitude == 0u) == (y_bits > 0x80000000u) ? 0x7f800000u : 0u;
    result = (x_magnitude == 0u) || (x_magnitude == 0x7f800000u) ? edge : result;
    uint sign = odd ? x_bits & 0x80000000u : 0u;
    result |= sign;
    bool negative = x_bits > 0x80000000u && x_bits < 0xff800000u;
    result = negative && !whole ? 0x7fc00000u : result;
    result = max(x_magnitude, y_magnitude) > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat(y_magnitude == 0u || x_bits == 0x3f800000u ? 0x3f800000u : result);
}
