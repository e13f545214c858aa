// Negation: the sign bit flipped, so that nan, zeros and subnormals keep every other bit.
// max ulp: 0.
// cost: 1
float vk_neg(float x) {
    return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
}
