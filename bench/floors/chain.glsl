// r = 50 operations on x and y: 25 times t * constant, then + y or - y by turns
#define INPUTS 2
#define OUTPUTS 1
void formula(T x, T y, out T r, out T s) {
    EXACTLY T t = x;
    [[unroll]] for (int n = 0; n < 25; ++n) {
        t = t * (0.5 + float(n) * 0.015625);
        if (n % 2 == 0) t = t + y;
        else t = t - y;
    }
    r = t;
}
