// x above 0, else x * slope.
// max ulp: 0.5.
// cost: 2
float vk_leaky_relu(float x, float slope) {
    uint bits = floatBitsToUint(x);
    precise float product = x * slope;
    return uintBitsToFloat(int(bits) > 0 ? bits : floatBitsToUint(product));
}
