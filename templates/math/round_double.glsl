// Nearest integer, ties to even: half a unit less one, plus the bit that makes a tie even, is added to the bit
// pattern and the fraction is cut. The sign is kept on zero.
// max ulp: 0.
// requires: cut_double fraction_double
// cost: 61
double vk_round_double(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uvec2 fraction = vk_fraction_double(bits.y);
    uvec2 raise = uvec2((fraction.x >> 1) | (fraction.y << 31), fraction.y >> 1);
    // The unit's bit is the one above the fraction's.
    uint place = uint(clamp(1075 - int((bits.y >> 20) & 2047u), 1, 52));
    uint odd = place < 32u ? (bits.x >> place) & 1u : (bits.y >> (place & 31u)) & 1u;
    bool whole = (fraction.x | fraction.y) == 0u;
    uint carry;
    uint low = uaddCarry(raise.x, whole ? 0u : odd, carry);
    uint magnitude = bits.y & 0x7fffffffu;
    bool one = magnitude > 0x3fe00000u || (magnitude == 0x3fe00000u && bits.x != 0u);
    return packDouble2x32(vk_cut_double(bits, uvec2(low, raise.y + carry), one));
}
