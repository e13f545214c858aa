// The bits themselves, by a zero that no compiler knows: every dispatch is one group deep. Of a value
// that it does know to be 0.0, llvmpipe makes 0 * inf = 0, 0 / 0 = 0 and 0 + -0 = -0.
// max ulp: 0.
// cost: 1
uint vk_opaque(uint bits) {
    return bits | gl_WorkGroupID.z;
}
