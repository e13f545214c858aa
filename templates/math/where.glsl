// x where the condition holds, else y: bits are copied, so that nan and subnormals keep theirs.
// max ulp: 0.
// cost: 0
float vk_where(bool condition, float x, float y) {
    return uintBitsToFloat(condition ? floatBitsToUint(x) : floatBitsToUint(y));
}
