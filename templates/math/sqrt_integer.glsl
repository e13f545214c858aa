// Square root correctly rounded, subnormals and specials included, on any device, by products and sums alone: the
// root of quick_root, then what it leaves of x without rounding (its square from halves of 12 bits), times half the
// reciprocal root. The first constants are chosen so that the last sum rounds right for every significand: a sweep of
// two binades proves it, for a factor of 4 changes no rounding. Below 2^-80 the radicand is lifted by 2^96.
// -0.0 stays, other negative values give nan. Same function as sqrt.glsl.
// max ulp: 0.5.
// cost: 46
float vk_sqrt(float x) {
    uint bits = floatBitsToUint(x);
    float radicand = x;
    uint back = 0x3f800000u;
    if (bits - 0x17800000u >= 0x68000000u) {
        if ((bits & 0x7fffffffu) == 0u || bits >= 0x7f800000u) {
            uint special = (bits & 0x7fffffffu) == 0u || bits == 0x7f800000u ? bits : 0x7fc00000u;
            return uintBitsToFloat(special);
        }
        precise float subnormal = float(bits) * uintBitsToFloat(0x25000000u);
        precise float lifted = x * uintBitsToFloat(0x6f800000u);
        radicand = bits < 0x800000u ? subnormal : lifted;
        back = 0x27800000u;
    }
    float guess = uintBitsToFloat(0x5f0b5aa4u - (floatBitsToUint(radicand) >> 1));
    precise float inverse = guess * (1.890625 - radicand * guess * guess);
    precise float half_inverse = inverse * 0.5;
    precise float root = radicand * inverse;
    precise float miss = 0.5 - root * half_inverse;
    root = root + root * miss;
    half_inverse = half_inverse + half_inverse * miss;
    root = root + (radicand - root * root) * half_inverse;
    float high = uintBitsToFloat(floatBitsToUint(root) & 0xfffff000u);
    precise float low = root - high;
    precise float rest = ((radicand - high * high) - (high + high) * low) - low * low;
    precise float result = (root + rest * half_inverse) * uintBitsToFloat(back);
    return result;
}
