// int32 to float32, nearest even: two halves that convert exactly, joined by one addition that rounds.
// max ulp: 0.5.
// cost: 6
float vk_int_to_float(int x) {
    precise float high = float(x >> 16) * 65536.0;
    precise float result = high + float(x & 0xffff);
    return result;
}
