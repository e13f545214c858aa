// A float32 rounded to what a float16 holds, as if it had been stored and read back.
// requires: pack_half unpack_half
float vk_round_half(float x) {
    return vk_unpack_half(vk_pack_half(x));
}
