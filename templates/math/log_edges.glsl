// Puts the special values into the bits of a logarithm: 0 gives -infinity, negative values and nan give nan,
// infinity itself.
// max ulp: 0.
// cost: 6
float vk_log_edges(uint bits, float result) {
    uint answer = bits == 0x7f800000u ? bits : floatBitsToUint(result);
    answer = bits > 0x7f800000u ? 0x7fc00000u : answer;
    answer = (bits & 0x7fffffffu) == 0u ? 0xff800000u : answer;
    return uintBitsToFloat(answer);
}
