// x <= y, false with a nan, -0.0 equal to 0.0, on the bit patterns.
// max ulp: 0.
// requires: isnan_double order_double
// cost: 38
bool vk_less_equal_double(double x, double y) {
    uvec2 a = vk_order_double(x);
    uvec2 b = vk_order_double(y);
    bool below = a.y < b.y || (a.y == b.y && a.x <= b.x);
    return below && !vk_isnan_double(x) && !vk_isnan_double(y);
}
