// x, at least `low`, then at most `high`; nan if any of the three is nan.
// max ulp: 0.
// requires: maximum_double minimum_double
// cost: 96
double vk_clip_double(double x, double low, double high) {
    return vk_minimum_double(vk_maximum_double(x, low), high);
}
