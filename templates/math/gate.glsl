// x * sigmoid(high + low), for a `high` with the sign of x and a `low` below its last place (0 as bits will do).
// Below 0 it is x e^y / (1 + e^y); where e^y nears the subnormals the product is scaled in integers, so that it
// is rounded once. x = -infinity gives -0.0, the limit.
// max ulp: 3.4.
// requires: divide exp_tail scale_unit
// cost: 52
float vk_gate(float x, float high, float low) {
    uint bits = floatBitsToUint(x);
    uint magnitude = floatBitsToUint(high) & 0x7fffffffu;
    bool negative = bits >= 0x80000000u;
    float below = uintBitsToFloat(magnitude | 0x80000000u);
    float rest = uintBitsToFloat(negative ? floatBitsToUint(low) : floatBitsToUint(low) ^ 0x80000000u);
    int k;
    float tail = vk_exp_tail(below, k);
    precise float m = (tail + (tail * rest + rest)) + 1.0;
    precise float small = m * intBitsToFloat((max(k, -126) + 127) << 23);
    precise float product = x * small;
    precise float whole = 1.0 + small;
    float numerator = uintBitsToFloat(negative ? floatBitsToUint(product) : bits);
    uint near = floatBitsToUint(vk_divide(numerator, whole));
    precise float scaled = x * m;
    uint far = floatBitsToUint(vk_scale_unit(scaled, k));
    far = magnitude > 0x43000000u ? 0x80000000u : far;
    far = negative ? far : bits;
    uint result = magnitude > 0x42800000u ? far : near;
    bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return uintBitsToFloat(nan ? 0x7fc00000u : result);
}
