// x * 2^k, rounded once, for a normal x and any k: overflow to infinity, subnormals packed in integers.
// max ulp: 0.5.
// requires: pack
// cost: 24
float vk_scale(float x, int k) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 255u);
    uint significand = ((bits & 0x7fffffu) | 0x800000u) << 2;
    return vk_pack(bits & 0x80000000u, exponent + k, significand);
}
