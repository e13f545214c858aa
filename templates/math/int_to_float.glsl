// int32 to float32, nearest even: two halves that convert exactly, joined by one addition that rounds.
// max ulp: 0.5.
// requires: opaque
// cost: 7
float vk_int_to_float(int x) {
    int unknown = int(vk_opaque(uint(x)));
    precise float high = float(unknown >> 16) * 65536.0;
    precise float result = high + float(unknown & 0xffff);
    return result;
}
