// r, s = call and put price for spot x, strike y and time z; rate 0.02, volatility 0.3
#define INPUTS 3
#define OUTPUTS 2
#if EXACT
T cumulative(T d) {
    EXACTLY T scaled = d * 0.70710678;
    EXACTLY T half_erf = EACH(vk_erf, scaled) * 0.5;
    EXACTLY T result = half_erf + 0.5;
    return result;
}
#else
// Abramowitz and Stegun 26.2.17: absolute error 7.5e-8.
T cumulative(T d) {
    T a = abs(d);
    T t = 1.0 / (1.0 + 0.2316419 * a);
    T p = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    T tail = 0.3989422804 * exp(-0.5 * a * a) * p;
    return mix(tail, 1.0 - tail, step(T(0.0), d));
}
#define vk_divide(x, y) ((x) / (y))
#endif
void formula(T x, T y, T z, out T r, out T s) {
#if EXACT
    EXACTLY T root = EACH(vk_sqrt, z) * 0.3;
#if WIDTH == 4
    T ratio = vec4(vk_divide(x.x, y.x), vk_divide(x.y, y.y), vk_divide(x.z, y.z), vk_divide(x.w, y.w));
#else
    T ratio = vk_divide(x, y);
#endif
    EXACTLY T above = EACH(vk_log, ratio) + z * 0.065;
#if WIDTH == 4
    T high = vec4(
        vk_divide(above.x, root.x), vk_divide(above.y, root.y), vk_divide(above.z, root.z), vk_divide(above.w, root.w));
#else
    T high = vk_divide(above, root);
#endif
    EXACTLY T scaled = z * -0.02;
    EXACTLY T discounted = y * EACH(vk_exp, scaled);
#else
    T root = sqrt(z) * 0.3;
    T high = (log(x / y) + z * 0.065) / root;
    T discounted = y * exp(z * -0.02);
#endif
    EXACTLY T low = high - root;
    EXACTLY T call = x * cumulative(high) - discounted * cumulative(low);
    EXACTLY T put = call - x + discounted;
    r = call;
    s = put;
}
