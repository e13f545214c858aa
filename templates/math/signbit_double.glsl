// Whether the sign bit is set: true for -0.0 and for a nan that carries it.
// max ulp: 0.
// cost: 2
bool vk_signbit_double(double x) {
    return unpackDouble2x32(x).y >= 0x80000000u;
}
