// r = gelu(x) * y + z, by the tanh formula
#define INPUTS 3
#define OUTPUTS 1
void formula(T x, T y, T z, out T r, out T s) {
#if EXACT
    EXACTLY T gate = EACH(vk_gelu_tanh, x);
#else
    T gate = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
#endif
    EXACTLY T product = gate * y;
    EXACTLY T sum = product + z;
    r = sum;
}
