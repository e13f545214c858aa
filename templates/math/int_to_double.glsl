// The same value: float64 holds every int32.
// max ulp: 0.
// requires: opaque
// cost: 2
double vk_int_to_double(int x) {
    return double(int(vk_opaque(uint(x))));
}
