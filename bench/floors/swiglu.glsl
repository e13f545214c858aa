// r = silu(x) * y
#define INPUTS 2
#define OUTPUTS 1
void formula(T x, T y, out T r, out T s) {
#if EXACT
    EXACTLY T gate = EACH(vk_silu, x);
#else
    T gate = x / (1.0 + exp(-x));
#endif
    EXACTLY T product = gate * y;
    r = product;
}
