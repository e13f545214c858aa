// log(high + low) for a positive finite normal `high` and a `low` below its last place.
// max ulp: 0.9.
// requires: log_split log_sum
// cost: 42
float vk_log_pair(float high, float low) {
    int k;
    float f = vk_log_split(floatBitsToUint(high), k);
    precise float f_low = low * intBitsToFloat((127 - min(k, 126)) << 23);
    return vk_log_sum(f, f_low, k);
}
