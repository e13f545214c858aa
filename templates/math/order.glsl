// A signed integer that orders as the float does: both zeros give 0, subnormals their own places.
// A nan lies outside the infinities, on the side of its sign; callers test for it.
// max ulp: 0.
// cost: 3
int vk_order(float x) {
    int bits = floatBitsToInt(x);
    int magnitude = bits & 0x7fffffff;
    return bits < 0 ? -magnitude : magnitude;
}
