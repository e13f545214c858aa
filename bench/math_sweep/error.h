// How far a float32 is from a wider truth.
#pragma once
#include <cmath>

// Error in units of the last place of the float32 grid around `truth`; -1 where a special value differs.
static double error(float got, double truth) {
    if (std::isnan(truth) || std::isnan(got)) return std::isnan(truth) && std::isnan(got) ? 0.0 : -1.0;
    if (std::isinf(truth)) return got == truth ? 0.0 : -1.0;
    if (truth == 0 || got == 0) {
        if (std::signbit(truth) != std::signbit(got)) return -1.0;
    }
    if (truth == 0) return got == 0 ? 0.0 : -1.0;
    double value = std::isinf(got) ? std::copysign(0x1p128, got) : double(got);
    int exponent = std::ilogb(truth);
    if (exponent < -126) exponent = -126;
    if (exponent > 127) exponent = 127;
    double ulp = std::ldexp(1.0, exponent - 23);
    // Beyond the largest float the right answer is infinity, however far the truth is.
    if (std::isinf(got) && std::fabs(truth) >= 0x1.ffffffp127 && (got > 0) == (truth > 0)) return 0.0;
    return std::fabs(value - truth) / ulp;
}
