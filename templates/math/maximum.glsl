// The larger of x and y; nan if either is (the first one's bits), y where they are equal, so that
// maximum(0.0, -0.0) is -0.0 and maximum(-0.0, 0.0) is 0.0 (as NumPy on x86).
// max ulp: 0.
// requires: isnan order
// cost: 12
float vk_maximum(float x, float y) {
    bool greater = vk_order(x) > vk_order(y);
    uint larger = floatBitsToUint(greater ? x : y);
    larger = vk_isnan(y) ? floatBitsToUint(y) : larger;
    return uintBitsToFloat(vk_isnan(x) ? floatBitsToUint(x) : larger);
}
