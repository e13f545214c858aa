// Two words, low and high, that order as the doubles do when compared high word first; both zeros give the
// same. A nan lies outside the infinities, on the side of its sign; callers test for it.
// max ulp: 0.
// cost: 10
uvec2 vk_order_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    bool zero = ((bits.y << 1) | bits.x) == 0u;
    uint flip = bits.y >= 0x80000000u ? 0xffffffffu : 0u;
    uvec2 ordered = uvec2(bits.x ^ flip, bits.y ^ (flip | 0x80000000u));
    return zero ? uvec2(0u, 0x80000000u) : ordered;
}
