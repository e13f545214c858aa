// x < y, false with a nan, -0.0 equal to 0.0; exact where a driver flushes subnormals in comparisons.
// max ulp: 0.
// requires: isnan order
// cost: 13
bool vk_less(float x, float y) {
    bool ordered = !(vk_isnan(x) || vk_isnan(y));
    return ordered && vk_order(x) < vk_order(y);
}
