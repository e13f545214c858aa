// The smaller of x and y; nan if either is nan (the first one's bits). Of two zeros it is the second.
// max ulp: 0.
// requires: isnan_double less_double where_double
// cost: 48
double vk_minimum_double(double x, double y) {
    bool first = vk_isnan_double(x) || vk_less_double(x, y);
    return vk_where_double(first, x, y);
}
