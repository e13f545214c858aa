// x == y, false with a nan, -0.0 equal to 0.0, on the bit patterns.
// max ulp: 0.
// requires: isnan_double order_double
// cost: 29
bool vk_equal_double(double x, double y) {
    uvec2 a = vk_order_double(x);
    uvec2 b = vk_order_double(y);
    return a.y == b.y && a.x == b.x && !vk_isnan_double(x);
}
