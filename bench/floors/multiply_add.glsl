// r = x * y + z
#define INPUTS 3
#define OUTPUTS 1
void formula(T x, T y, T z, out T r, out T s) {
    EXACTLY T product = x * y;
    EXACTLY T sum = product + z;
    r = sum;
}
