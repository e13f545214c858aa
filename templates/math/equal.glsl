// x == y, false with a nan, -0.0 equal to 0.0; exact where a driver flushes subnormals in comparisons.
// max ulp: 0.
// requires: isnan order
// cost: 10
bool vk_equal(float x, float y) {
    return vk_order(x) == vk_order(y) && !vk_isnan(x);
}
