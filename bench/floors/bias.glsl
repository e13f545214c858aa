// r = x + y, y one row
#define INPUTS 2
#define OUTPUTS 1
void formula(T x, T y, out T r, out T s) {
    EXACTLY T sum = x + y;
    r = sum;
}
