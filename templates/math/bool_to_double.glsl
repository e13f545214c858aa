// 1 or 0, as bits: no literal zero reaches the driver's algebra.
// max ulp: 0.
// requires: opaque
// cost: 3
double vk_bool_to_double(bool x) {
    return packDouble2x32(uvec2(0u, vk_opaque(x ? 0x3ff00000u : 0u)));
}
