// log(2 x) for the bits of a normal positive x, without the product, which may be infinite; infinity and nan stay.
// max ulp: 1.0.
// requires: log_split log_sum
// cost: 36
float vk_log_twice(uint bits) {
    int k;
    float f = vk_log_split(bits, k);
    precise float none = uintBitsToFloat(0u);
    uint result = floatBitsToUint(vk_log_sum(f, none, k + 1));
    return uintBitsToFloat(bits >= 0x7f800000u ? bits : result);
}
