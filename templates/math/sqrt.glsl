// Square root by the device's own, for devices where a probe found it correctly rounded, subnormals kept.
// max ulp: 0.5 (there).
// cost: 1
float vk_sqrt(float x) {
    precise float root = sqrt(x);
    return root;
}
