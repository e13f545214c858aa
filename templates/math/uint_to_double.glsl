// The same value: float64 holds every uint32.
// max ulp: 0.
// requires: opaque
// cost: 2
double vk_uint_to_double(uint x) {
    return double(vk_opaque(x));
}
