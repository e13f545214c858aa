// Puts the words of a 64-bit element at the first or the second place of a vector.
void vk_set_pair(inout uvec4 words, uint element, uvec2 pair) {
    words = element == 0 ? uvec4(pair, words.zw) : uvec4(words.xy, pair);
}
