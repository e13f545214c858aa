// 1 or 0, as bits: no literal zero reaches the driver's algebra.
// max ulp: 0.
// requires: opaque
// cost: 2
float vk_bool_to_float(bool x) {
    return uintBitsToFloat(vk_opaque(x ? 0x3f800000u : 0u));
}
