// log(high + low) for a `high` in [2^-100, 2^100] and a `low` below its last place.
// max ulp: 1.0.
// requires: log_sum
// cost: 35
float vk_log_pair(float high, float low) {
    int k = (floatBitsToInt(high) - 0x3f3504f3) >> 23;
    float scale = intBitsToFloat((127 - k) << 23);
    precise float f = high * scale - 1.0;
    precise float f_low = low * scale;
    return vk_log_sum(f, f_low, k);
}
