// x times the normal distribution's share below x. For z = |x| the share above z is e^(-z^2/2) p(w) w / z with
// w = z / (z + 2): nothing cancels in the tail. z^2 is made in two floats from factors cut to 12 bits.
// p is a polynomial of w - 1/2, so that its terms hardly cancel.
// Source: minimax polynomial of (z + 2) erfcx(z / sqrt(2)) / 2 for z in [0, 14.6] (Sollya fpminimax).
// max ulp: 3.9.
// requires: exp_tail halve quick_quotient scale
// cost: 119
float vk_gelu_erf(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    float z = uintBitsToFloat(magnitude);
    float z_high = uintBitsToFloat(magnitude & 0xfffff000u);
    precise float square = z_high * z_high * -0.5;
    precise float square_rest = (z - z_high) * (z + z_high) * -0.5;
    precise float high = square + square_rest;
    precise float low = (square - high) + square_rest;
    int k;
    float tail = vk_exp_tail(high, k);
    precise float t = tail + (tail * low + low);
    precise float shifted = z + 2.0;
    float w = vk_quick_quotient(z, shifted);
    precise float v = w - 0.125;
    precise float p = v * -1.2898733e-1 + 3.8362598e-1;
    p = p * v - 3.7456962e-1;
    p = p * v + 1.7134073e-1;
    p = p * v - 9.8017246e-2;
    p = p * v - 3.4012683e-2;
    p = p * v + 2.6602501e-2;
    p = p * v + 1.2841305e-1;
    p = p * v + 1.4409953e-1;
    p = p * v - 1.4893588e-1;
    p = p * v - 6.387908e-1;
    p = p * v + 9.2272925e-1;
    precise float whole = w * p;
    precise float share = whole + whole * t;
    // x / 2 near 0; beyond 8 the share nears the subnormals, beyond 15 nothing is left of it.
    if (magnitude - 0x20000000u > 0x21000000u) {
        uint far = magnitude > 0x41700000u ? 0u : floatBitsToUint(vk_scale(share, k));
        far = bits >= 0x80000000u ? far | 0x80000000u : bits;
        far = magnitude < 0x20000000u ? floatBitsToUint(vk_halve(x)) : far;
        return uintBitsToFloat(magnitude > 0x7f800000u ? 0x7fc00000u : far);
    }
    precise float loss = share * intBitsToFloat((k + 127) << 23);
    precise float rest = x - loss;
    return uintBitsToFloat(bits >= 0x80000000u ? floatBitsToUint(loss) | 0x80000000u : floatBitsToUint(rest));
}
