// Compares float32 results with a wider truth, and hashes them; built and called by reference.py.
// One call takes one piece of a sweep, on all cores.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include "math_sweep/error.h"
#include "math_sweep/truth.h"

namespace truth {
// Rows of the op table that the math library has no file for. Sums, differences and products of
// two float32 are exact in double or rounded once on the way, which does not change what they
// round to in float32.
static double add(double x, double y) { return x + y; }
static double subtract(double x, double y) { return x - y; }
static double multiply(double x, double y) { return x * y; }
static double square(double x, double) { return x * x; }
static double positive(double x, double) { return x; }
static double relu(double x, double) { return x <= 0 ? 0.0 : x; }
static double leaky_relu(double x, double y) { return x > 0 ? x : x * y; }
static double elu(double x, double y) { return x > 0 ? x : y * std::expm1(x); }
static double is_nan(double x, double) { return std::isnan(x); }
static double is_infinite(double x, double) { return std::isinf(x); }
static double is_finite(double x, double) { return std::isfinite(x); }
static double sign_bit(double x, double) { return std::signbit(x); }
static double sum_of_exponentials(double x, double y) {  // its logarithm
    if (std::isnan(x) || std::isnan(y)) return x + y;
    long double larger = std::fmax(x, y), distance = x == y ? 0 : std::fabs((long double)x - y);
    return double(larger + std::log1p(std::exp(-distance)));
}
}  // namespace truth

struct Special {
    uint32_t a, b, got, unused;
    double truth;
};

struct Tally {
    uint64_t count, special, above_one, different;
    double worst, total;
    uint32_t a, b, got, unused;
    uint64_t bits, values, subset_bits, subset_values;
    Special examples[4];
};

static float from_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

static uint32_t to_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}

static uint64_t mixed(uint64_t index, uint32_t bits) {
    uint64_t h = index * 0x9e3779b97f4a7c15ull + bits + 1;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

static bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// Sums, so that neither the order of pieces nor that of threads matters.
static void hash(Tally &tally, uint64_t index, uint32_t bits, bool subset) {
    uint64_t raw = mixed(index, bits), value = is_nan(bits) ? mixed(index, 0x7fc00000u) : raw;
    tally.bits += raw, tally.values += value;
    if (subset) tally.subset_bits += raw, tally.subset_values += value;
}

// The distance of two float32 neighbours around a finite `truth` that is not 0.
static double grid(double truth) {
    uint64_t bits;
    std::memcpy(&bits, &truth, 8);
    int64_t exponent = int64_t(bits >> 52 & 0x7ff) - 1023;
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    bits = uint64_t(exponent - 23 + 1023) << 52;
    double result;
    std::memcpy(&result, &bits, 8);
    return result;
}

// The largest magnitude among a finite truth and its operands.
static double largest(double truth, uint32_t a, uint32_t b) {
    return std::fmax(std::fabs(truth), std::fmax(std::fabs(from_bits(a)), std::fabs(from_bits(b))));
}

// `relative` measures by the largest operand, where terms of opposite sign may cancel.
template <bool relative>
static void judge(Tally &tally, uint32_t a, uint32_t b, uint32_t got, double truth) {
    bool usual = (got & 0x7fffffffu) - 1 < 0x7f7fffffu && std::fabs(truth) < 0x1p128 && truth != 0;
    double distance = usual ? std::fabs(from_bits(got) - truth) / grid(truth)
                            : error(from_bits(got), truth);
    if (relative && std::isfinite(from_bits(got)) && std::isfinite(truth)) {
        double scale = largest(truth, a, b);
        distance = scale == 0 ? distance : std::fabs(from_bits(got) - truth) / grid(scale);
    }
    tally.count++;
    if (distance < 0) {
        if (tally.special < 4) tally.examples[tally.special] = {a, b, got, 0, truth};
        tally.special++;
        return;
    }
    tally.different += got != to_bits(float(truth)) && !(is_nan(got) && truth != truth);
    tally.above_one += distance > 1;
    tally.total += distance;
    if (distance > tally.worst) tally.worst = distance, tally.a = a, tally.b = b, tally.got = got;
}

static void merge(Tally &into, const Tally &from) {
    for (uint64_t n = 0; n < from.special && n < 4 && into.special + n < 4; n++)
        into.examples[into.special + n] = from.examples[n];
    into.count += from.count, into.special += from.special;
    into.above_one += from.above_one, into.different += from.different, into.total += from.total;
    into.bits += from.bits, into.values += from.values;
    into.subset_bits += from.subset_bits, into.subset_values += from.subset_values;
    if (from.worst > into.worst)
        into.worst = from.worst, into.a = from.a, into.b = from.b, into.got = from.got;
}

typedef double (*Truth)(double, double);

template <Truth truth, bool judged, bool relative = false>
static void sweep(const uint32_t *a, const uint32_t *b, const uint32_t *got, uint64_t count,
                  uint64_t first, uint64_t step, uint64_t subset, Tally *result) {
    const int64_t piece = 1 << 14, pieces = (count + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic)
    for (int64_t part = 0; part < pieces; part++) {
        Tally tally = {};
        uint64_t start = part * piece, stop = start + piece < count ? start + piece : count;
        uint64_t index = first + start * step, remainder = index % subset;
        for (uint64_t i = start; i < stop; i++) {
            hash(tally, index, got[i], remainder == 0);
            if (judged) {
                uint32_t x = a ? a[i] : uint32_t(index), y = b ? b[i] : 0;
                judge<relative>(tally, x, y, got[i], truth(from_bits(x), from_bits(y)));
            }
            index += step, remainder = (remainder + step) % subset;
        }
#pragma omp critical
        merge(*result, tally);
    }
}

static double nothing(double, double) { return 0; }

typedef void (*Sweep)(const uint32_t *, const uint32_t *, const uint32_t *, uint64_t, uint64_t,
                      uint64_t, uint64_t, Tally *);

#define ROW(name, function) {name, sweep<truth::function, true>}
static const std::map<std::string, Sweep> rows = {
    {"", sweep<nothing, false>},
    ROW("exp", exp), ROW("exp2", exp2), ROW("expm1", expm1), ROW("log", log), ROW("log2", log2),
    ROW("log10", log10), ROW("log1p", log1p), ROW("sin", sin), ROW("cos", cos), ROW("tan", tan),
    ROW("asin", asin), ROW("acos", acos), ROW("atan", atan), ROW("sinh", sinh), ROW("cosh", cosh),
    ROW("tanh", tanh), ROW("asinh", asinh), ROW("acosh", acosh), ROW("atanh", atanh),
    ROW("erf", erf), ROW("erfc", erfc), ROW("sqrt", sqrt), ROW("rsqrt", rsqrt),
    ROW("reciprocal", reciprocal), ROW("floor", floor), ROW("ceil", ceil), ROW("trunc", trunc),
    ROW("round", round), ROW("abs", abs), ROW("negative", neg), ROW("sign", sign),
    ROW("sigmoid", sigmoid), ROW("silu", silu), ROW("gelu_erf", gelu_erf),
    ROW("gelu_tanh", gelu_tanh), ROW("softplus", softplus), ROW("square", square),
    ROW("positive", positive), ROW("relu", relu), ROW("pow", pow), ROW("divide", divide),
    ROW("atan2", atan2), ROW("hypot", hypot), ROW("copysign", copysign), ROW("nextafter", nextafter), ROW("add", add),
    ROW("subtract", subtract), ROW("multiply", multiply), ROW("leaky_relu", leaky_relu),
    ROW("elu", elu), ROW("isnan", is_nan), ROW("isinf", is_infinite),
    ROW("isfinite", is_finite), ROW("signbit", sign_bit), {"logaddexp", sweep<truth::sum_of_exponentials, true, true>},
};

extern "C" int known(const char *name) { return rows.count(name); }

// Adds `count` results to `result`: `got[i]` is number first + i * step of the sweep and belongs to
// operands a[i] (where a is null, the float32 whose bits are its number) and b[i]. Numbers that
// `subset` divides are hashed apart too. The name "" only hashes. Returns 0 where the name is not
// known.
extern "C" int compare(const char *name, const uint32_t *a, const uint32_t *b, const uint32_t *got,
                       uint64_t count, uint64_t first, uint64_t step, uint64_t subset,
                       Tally *result) {
    auto row = rows.find(name);
    if (row == rows.end()) return 0;
    row->second(a, b, got, count, first, step, subset, result);
    return 1;
}
