// The logarithm, of whichever base, of bits that are not those of a positive finite number: 0 gives -infinity,
// infinity itself, negative values and nan give nan.
// max ulp: 0.
// cost: 5
float vk_log_edges(uint bits) {
    uint answer = bits == 0x7f800000u ? bits : 0x7fc00000u;
    return uintBitsToFloat((bits & 0x7fffffffu) == 0u ? 0xff800000u : answer);
}
