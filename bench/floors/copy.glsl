// r = x
#define INPUTS 1
#define OUTPUTS 1
void formula(T x, out T r, out T s) { r = x; }
