// The words of a double without its fraction: `raise` (low and high word, no more than the fraction's mask) is
// first added to the magnitude. Below 1 it is a zero, or 1 where `one` holds, with the sign.
// max ulp: 0.
// requires: fraction_double
// cost: 24
uvec2 vk_cut_double(uvec2 bits, uvec2 raise, bool one) {
    uvec2 fraction = vk_fraction_double(bits.y);
    uint carry;
    uint low = uaddCarry(bits.x, raise.x, carry);
    uint high = bits.y + raise.y + carry;
    uvec2 large = uvec2(low & ~fraction.x, high & ~fraction.y);
    uvec2 small = uvec2(0u, (bits.y & 0x80000000u) | (one ? 0x3ff00000u : 0u));
    return (bits.y & 0x7fffffffu) < 0x3ff00000u ? small : large;
}
