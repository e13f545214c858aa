// Square root correctly rounded, subnormals and specials included, on any device: the device's root only
// estimates; a remainder in 32-bit integers corrects it. A result is right while the estimate errs by less than
// 3 ulp. -0.0 stays, other negative values give nan. Same function as sqrt.glsl.
// max ulp: 0.5.
// requires: significand
// cost: 56
float vk_sqrt(float x) {
    uint bits = floatBitsToUint(x);
    int exponent;
    uint radicand = vk_significand(bits & 0x7fffffffu, exponent);
    // The root of radicand * 2^shift has 25 bits, one more than the result; shift makes the exponent even.
    int shift = 25 + ((exponent - 25) & 1);
    precise float wide = float(radicand) * intBitsToFloat((shift + 127) << 23);
    precise float estimate = sqrt(wide);
    uint root = uint(estimate) - 16u;
    uint remainder = (radicand << uint(shift)) - root * root;
    precise float missing = float(remainder) / float(root + root);
    uint step = uint(missing);
    int rest = int(remainder - step * (root + root + step));
    root += step;
    root = rest < 0 ? root - 1u : root;
    rest = rest < 0 ? rest + int(root + root + 1u) : rest;
    root = rest > int(root + root) ? root + 1u : root;
    // The root of a 24-bit number is never half way between two floats.
    uint result = (uint((exponent - 150 - shift) / 2 + 150) << 23) + ((root + 1u) >> 1);
    result = bits == 0x7f800000u ? bits : result;
    result = bits > 0x7f800000u ? 0x7fc00000u : result;
    return uintBitsToFloat((bits & 0x7fffffffu) == 0u ? bits : result);
}
