// The smaller of x and y; nan if either is (the first one's bits), y where they are equal, so that
// minimum(0.0, -0.0) is -0.0 and minimum(-0.0, 0.0) is 0.0 (as NumPy on x86).
// max ulp: 0.
// requires: isnan order
// cost: 12
float vk_minimum(float x, float y) {
    bool less = vk_order(x) < vk_order(y);
    uint smaller = floatBitsToUint(less ? x : y);
    smaller = vk_isnan(y) ? floatBitsToUint(y) : smaller;
    return uintBitsToFloat(vk_isnan(x) ? floatBitsToUint(x) : smaller);
}
