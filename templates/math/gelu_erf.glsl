// x times the normal distribution's share below x. For z = |x| the share above z is e^(-z^2/2) p(w) w / z with
// w = z / (z + 2.5): nothing cancels in the tail. z^2 is made in two floats from factors cut to 12 bits.
// Source: minimax polynomial of (z + 2.5) erfcx(z / sqrt(2)) / 2 for z in [0, 15], by Lawson's iteration.
// max ulp: 0.
// requires: divide exp_tail scale
// cost: 0
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
    precise float shifted = z + 2.5;
    float w = vk_divide(z, shifted);
    precise float p = -0.023206169;
    p = p * w + 0.019748213;
    p = p * w + 0.098163605;
    p = p * w - 0.12999004;
    p = p * w + 0.026135396;
    p = p * w - 0.10757833;
    p = p * w + 0.04639823;
    p = p * w + 0.29311928;
    p = p * w + 0.1695269;
    p = p * w - 1.2433904;
    p = p * w + 1.25;
    precise float whole = w * p;
    precise float share = whole + whole * t;
    precise float near = share * intBitsToFloat((max(k, -126) + 127) << 23);
    uint loss = floatBitsToUint(z > 8.0 ? vk_scale(share, k) : near);
    precise float rest = x - uintBitsToFloat(loss);
    uint result = bits >= 0x80000000u ? loss | 0x80000000u : floatBitsToUint(rest);
    return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : result);
}
