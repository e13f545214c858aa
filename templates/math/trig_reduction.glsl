// x = quadrant * pi/2 + y + low with |y| <= pi/4 (and a hair): returns y, for a finite x; of the quadrant the last two
// bits count.
// Below 402: pi/2 in three pieces, the first two exact times the quadrant (Cody-Waite). From there on: 96 bits of
// 2/pi, from where |x| * 2/pi leaves whole turns, times the significand in integers (Payne-Hanek); the 62 bits of
// fraction become two floats. Both paths leave an error below 2^-29 of y: this is the full float32 range.
// max ulp: 0.01 of y + low.
// cost: 87
float vk_trig_reduction(float x, out float low, out uint quadrant) {
    uint magnitude = floatBitsToUint(x) & 0x7fffffffu;
    precise float rest;
    precise float high;
    if (magnitude < 0x43c90000u) {
        precise float shifted = x * 0.636619747 + 12582912.0;
        quadrant = floatBitsToUint(shifted);
        precise float turns = shifted - 12582912.0;
        precise float first = x - turns * 1.57080078;
        precise float second = turns * -4.45439946e-6;
        high = first - second;
        rest = ((first - high) - second) + turns * 5.56443155e-11;
    } else {
        uint significand = (magnitude & 0x7fffffu) | 0x800000u;
        uint start = (magnitude >> 23) - 128u;
        // Seven words of 2/pi after 24 zero bits; four of them from word start / 32.
        bool skip_two = (start & 64u) != 0u;
        uint word0 = skip_two ? 0x441529fcu : 0x000000a2u;
        uint word1 = skip_two ? 0x2757d1f5u : 0xf9836e4eu;
        uint word2 = skip_two ? 0x34ddc0dbu : 0x441529fcu;
        uint word3 = skip_two ? 0x6295993cu : 0x2757d1f5u;
        uint word4 = skip_two ? 0x439041feu : 0x34ddc0dbu;
        bool skip_one = (start & 32u) != 0u;
        word0 = skip_one ? word1 : word0;
        word1 = skip_one ? word2 : word1;
        word2 = skip_one ? word3 : word2;
        word3 = skip_one ? word4 : word3;
        uint left = start & 31u;
        uint right = 31u - left;
        word0 = (word0 << left) | ((word1 >> 1) >> right);
        word1 = (word1 << left) | ((word2 >> 1) >> right);
        word2 = (word2 << left) | ((word3 >> 1) >> right);
        uint middle_high;
        uint middle_low;
        uint last_high;
        uint last_low;
        umulExtended(significand, word1, middle_high, middle_low);
        umulExtended(significand, word2, last_high, last_low);
        uint lower = middle_low + last_high;
        uint carry = lower < last_high ? 1u : 0u;
        uint upper = significand * word0 + middle_high + carry + 0x20000000u;
        quadrant = upper >> 30;
        int fraction = int(upper & 0x3fffffffu) - 0x20000000;
        // In units of 2^-30 quadrants: 24 bits, 24 bits and 14 bits, each an exact float.
        precise float part0 = float(fraction >> 6) * 64.0;
        precise float part1 = float((uint(fraction & 63) << 18) | (lower >> 14)) * 3.81469727e-6;
        precise float part2 = float(lower & 0x3fffu) * 2.32830644e-10;
        precise float sum = part0 + part1;
        precise float sum_low = (part1 - (sum - part0)) + part2;
        float cut = uintBitsToFloat(floatBitsToUint(sum) & 0xfffff000u);
        precise float cut_rest = (sum - cut) + sum_low;
        // pi/2 * 2^-30 in 12 bits and a rest.
        precise float far_high = cut * 1.46292223e-9;
        precise float far_rest = cut * -4.14853444e-15 + cut_rest * 1.46291812e-9;
        uint sign = floatBitsToUint(x) & 0x80000000u;
        high = uintBitsToFloat(floatBitsToUint(far_high) ^ sign);
        rest = uintBitsToFloat(floatBitsToUint(far_rest) ^ sign);
        quadrant = sign != 0u ? 4u - quadrant : quadrant;
    }
    precise float y = high + rest;
    precise float lost = (high - y) + rest;
    low = lost;
    return y;
}
