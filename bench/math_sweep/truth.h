// What each function means, in double or long double; C99 and NumPy special values come with the C library.
#pragma once
#include <cmath>
#include <limits>

namespace truth {
#define UNARY(name, expression) \
    [[maybe_unused]] static double name(double x, double) { return expression; }
#define BINARY(name, expression) \
    [[maybe_unused]] static double name(double x, double y) { return expression; }

UNARY(exp, std::exp(x))
UNARY(exp2, std::exp2(x))
UNARY(expm1, std::expm1(x))
UNARY(log, std::log(x))
UNARY(log2, std::log2(x))
UNARY(log10, std::log10(x))
UNARY(log1p, std::log1p(x))
UNARY(sin, std::sin(x))
UNARY(cos, std::cos(x))
UNARY(tan, std::tan(x))
UNARY(asin, std::asin(x))
UNARY(acos, std::acos(x))
UNARY(atan, std::atan(x))
UNARY(sinh, std::sinh(x))
UNARY(cosh, std::cosh(x))
UNARY(tanh, std::tanh(x))
UNARY(asinh, std::asinh(x))
UNARY(acosh, std::acosh(x))
UNARY(atanh, std::atanh(x))
UNARY(erf, std::erf(x))
UNARY(erfc, std::erfc(x))
UNARY(sqrt, std::sqrt(x))
UNARY(rsqrt, 1 / std::sqrt(x))
UNARY(reciprocal, 1 / x)
UNARY(floor, std::floor(x))
UNARY(ceil, std::ceil(x))
UNARY(trunc, std::trunc(x))
UNARY(round, std::nearbyint(x))
UNARY(abs, std::fabs(x))
UNARY(neg, -x)
UNARY(sign, std::isnan(x) || x == 0 ? (x == 0 ? 0.0 : x) : (x > 0 ? 1.0 : -1.0))
// Stable forms: the defining formula in double loses everything in the left tail.
UNARY(sigmoid, x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)))
UNARY(silu, std::isinf(x) && x < 0 ? -0.0 : x * sigmoid(x, 0))
UNARY(gelu_erf, std::isinf(x) && x < 0 ? -0.0 : 0.5 * x * std::erfc(-x * 0.70710678118654752440))
UNARY(gelu_tanh, std::isinf(x) ? (x < 0 ? -0.0 : x) : x * sigmoid(2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x), 0))
UNARY(softplus, (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))))

BINARY(pow, std::pow(x, y))
BINARY(divide, x / y)
BINARY(atan2, std::atan2(x, y))
BINARY(hypot, std::hypot(x, y))
BINARY(logaddexp, x == y ? x + 0.69314718055994530942 : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y))) + 0 * (x - y))
BINARY(copysign, std::copysign(x, y))
BINARY(nextafter, std::nextafter(float(x), float(y)))
#undef UNARY
#undef BINARY
}  // namespace truth
