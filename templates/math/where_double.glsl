// x where the condition holds, else y: words are copied, so that nan and subnormals keep their bits.
// max ulp: 0.
// cost: 3
double vk_where_double(bool condition, double x, double y) {
    return packDouble2x32(condition ? unpackDouble2x32(x) : unpackDouble2x32(y));
}
