// 1 or 0, as bits: no literal zero reaches the driver's algebra.
// max ulp: 0.
// cost: 1
float vk_bool_to_float(bool x) {
    return uintBitsToFloat(x ? 0x3f800000u : 0u);
}
