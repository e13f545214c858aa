// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), as x * sigmoid(2 u). 2 u = x (a + b x^2) is made in
// two floats, for e^(2 u) magnifies its error by |2 u|: factors are cut to 12 bits, so that products are exact.
// max ulp: 3.3.
// requires: gate
// cost: 87
float vk_gelu_tanh(float x) {
    uint bits = floatBitsToUint(x);
    // Beyond 16 the answer is decided; the bound keeps the products finite.
    float z = uintBitsToFloat((bits & 0x80000000u) | min(bits & 0x7fffffffu, 0x41800000u));
    float z_high = uintBitsToFloat(floatBitsToUint(z) & 0xfffff000u);
    precise float z_low = z - z_high;
    precise float square = z_high * z_high;
    precise float square_rest = z_low * (z + z_high);
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
    precise float product = z_high * factor_high;
    precise float product_low = z * factor_low + z_low * factor_high;
    precise float high = product + product_low;
    precise float low = (product - high) + product_low;
    return vk_gate(x, high, low);
}
