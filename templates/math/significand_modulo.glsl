// (numerator * 2^shift) mod denominator, exact, for significands in [2^23, 2^24): eight bits of the shift a turn.
// A shift below 0 gives the numerator, a denominator of 0 counts as 1.
// max ulp: 0.
// cost: 8
uint vk_significand_modulo(uint numerator, uint denominator, int shift) {
    uint divisor = max(denominator, 1u);
    uint rest = shift >= 0 ? numerator % divisor : numerator;
    for (int left = shift; left > 0; left -= 8) {
        rest = (rest << uint(min(left, 8))) % divisor;
    }
    return rest;
}
