// The words of the first or the second 64-bit element of a vector.
uvec2 vk_pair(uvec4 words, uint element) {
    return element == 0 ? words.xy : words.zw;
}
