// x above 0, else alpha * (e^x - 1).
// max ulp: 1.8.
// requires: expm1
// cost: 42
float vk_elu(float x, float alpha) {
    uint bits = floatBitsToUint(x);
    precise float product = alpha * vk_expm1(x);
    return uintBitsToFloat(int(bits) > 0 ? bits : floatBitsToUint(product));
}
