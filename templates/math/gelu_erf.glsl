// x times the normal distribution's share below x. For z = |x| the share above z is e^(-z^2/2) p(w) w / z with
// w = z / (z + 2): nothing cancels in the tail. z^2 is made in two floats from factors cut to 12 bits.
// Source: minimax polynomial of (z + 2) erfcx(z / sqrt(2)) / 2 for z in [0, 15], by Lawson's iteration.
// max ulp: 3.8.
// requires: divide exp_tail scale
// cost: 95
float vk_gelu_erf(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    // Beyond 15 nothing is left of the share.
    float z = uintBitsToFloat(min(magnitude, 0x41700000u));
    float z_high = uintBitsToFloat(floatBitsToUint(z) & 0xfffff000u);
    precise float square = z_high * z_high * -0.5;
    precise float square_rest = (z - z_high) * (z + z_high) * -0.5;
    precise float high = square + square_rest;
    precise float low = (square - high) + square_rest;
    int k;
    float tail = vk_exp_tail(high, k);
    precise float t = tail + (tail * low + low);
    precise float shifted = z + 2.0;
    float w = vk_divide(z, shifted);
    precise float p = -0.13441962;
    p = p * w + 0.5866525;
    p = p * w - 1.0166943;
    p = p * w + 0.9618075;
    p = p * w - 0.6190117;
    p = p * w + 0.22515525;
    p = p * w - 0.016880026;
    p = p * w + 0.11545083;
    p = p * w + 0.08415183;
    p = p * w - 0.19149955;
    p = p * w - 0.59576976;
    p = p * w + 1.0;
    precise float whole = w * p;
    precise float share = whole + whole * t;
    precise float near = share * intBitsToFloat((max(k, -126) + 127) << 23);
    uint loss = floatBitsToUint(magnitude > 0x41000000u ? vk_scale(share, k) : near);
    precise float rest = x - uintBitsToFloat(loss);
    uint result = bits >= 0x80000000u ? loss | 0x80000000u : floatBitsToUint(rest);
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
