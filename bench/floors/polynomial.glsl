// r = a polynomial of degree 8 in x, by Horner's rule
#define INPUTS 1
#define OUTPUTS 1
void formula(T x, out T r, out T s) {
    EXACTLY T p = T(0.125);
    p = p * x + -0.25;
    p = p * x + 0.375;
    p = p * x + -0.5;
    p = p * x + 0.625;
    p = p * x + -0.75;
    p = p * x + 0.875;
    p = p * x + -1.0;
    p = p * x + 1.125;
    r = p;
}
