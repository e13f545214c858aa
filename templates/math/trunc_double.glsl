// x without its fraction, on the bit pattern; the sign is kept on zero.
// max ulp: 0.
// requires: cut_double
// cost: 26
double vk_trunc_double(double x) {
    return packDouble2x32(vk_cut_double(unpackDouble2x32(x), uvec2(0u, 0u), false));
}
