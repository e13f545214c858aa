// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), as x * sigmoid(2 u). 2 u = x (a + b x^2) is made in
// two floats, for e^(2 u) magnifies its error by |2 u|: factors are cut to 12 bits, so that products are exact.
// max ulp: 3.0.
// requires: exp_tail gate_edges quick_quotient
// cost: 124
float vk_gelu_tanh(float x) {
    uint bits = floatBitsToUint(x);
    float x_high = uintBitsToFloat(bits & 0xfffff000u);
    precise float x_low = x - x_high;
    precise float square = x_high * x_high;
    precise float square_rest = x_low * (x + x_high);
    precise float rounded = square + square_rest;
    float square_high = uintBitsToFloat(floatBitsToUint(rounded) & 0xfffff000u);
    precise float square_low = (square - square_high) + square_rest;
    precise float cubic = square_high * 0.0713501;
    precise float factor = 1.5957692 + cubic;
    precise float back = factor - cubic;
    precise float lost = (1.5957692 - back) + (cubic - (factor - back));
    precise float small = square_low * 0.0713501 + (rounded * 4.71861629e-6 - 4.53406805e-8);
    float factor_high = uintBitsToFloat(floatBitsToUint(factor) & 0xfffff000u);
    precise float factor_low = (factor - factor_high) + (lost + small);
    precise float product = x_high * factor_high;
    precise float product_low = x * factor_low + x_low * factor_high;
    precise float high = product + product_low;
    precise float low = (product - high) + product_low;
    // Beyond 8.5 in magnitude e^(2 u) leaves the range of the quotient, and beyond 16 the answer is decided.
    if ((bits & 0x7fffffffu) - 0x20000000u > 0x21080000u) {
        return vk_gate_edges(x, high, low, 0x41800000u);
    }
    int k;
    float tail = vk_exp_tail(uintBitsToFloat(floatBitsToUint(high) ^ 0x80000000u), k);
    precise float m = (tail - (tail * low + low)) + 1.0;
    precise float whole = m * intBitsToFloat((k + 127) << 23) + 1.0;
    return vk_quick_quotient(x, whole);
}
