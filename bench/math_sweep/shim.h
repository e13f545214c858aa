// Enough of GLSL to compile the text of templates/math as C++.
// Built with -ffp-contract=off, so that each float operation rounds once, as `precise` asks of a device.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define precise

using uint = uint32_t;

struct vec2 {
    float x, y;
    vec2(float first, float second) : x(first), y(second) {}
};

struct uvec2 {
    uint x, y;
    uvec2(uint first, uint second) : x(first), y(second) {}
};

// Every dispatch is one group deep.
static const struct { uint x, y, z; } gl_WorkGroupID = {0, 0, 0};

template <class To, class From> static inline To reinterpret(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

// Flushes subnormal operands and results to zero while it lives, where asked to (x86 only).
struct Subnormals {
#if defined(__SSE__)
    unsigned saved = __builtin_ia32_stmxcsr();
    explicit Subnormals(bool flush) { if (flush) __builtin_ia32_ldmxcsr(saved | 0x8040u); }
    ~Subnormals() { __builtin_ia32_ldmxcsr(saved); }
#else
    explicit Subnormals(bool flush) { if (flush) std::abort(); }
#endif
};

static inline uint floatBitsToUint(float x) { return reinterpret<uint>(x); }
static inline int floatBitsToInt(float x) { return reinterpret<int>(x); }
static inline float uintBitsToFloat(uint x) { return reinterpret<float>(x); }
static inline float intBitsToFloat(int x) { return reinterpret<float>(x); }
static inline int findMSB(uint x) { return x == 0 ? -1 : 31 - __builtin_clz(x); }
static inline void umulExtended(uint a, uint b, uint &high, uint &low) {
    uint64_t product = uint64_t(a) * b;
    high = uint(product >> 32);
    low = uint(product);
}
static inline uint uaddCarry(uint a, uint b, uint &carry) {
    uint sum = a + b;
    carry = sum < a ? 1u : 0u;
    return sum;
}
static inline uvec2 unpackDouble2x32(double x) {
    uint64_t bits = reinterpret<uint64_t>(x);
    return uvec2(uint(bits), uint(bits >> 32));
}
static inline double packDouble2x32(uvec2 v) {
    return reinterpret<double>(uint64_t(v.y) << 32 | v.x);
}
static inline uint64_t packUint2x32(uvec2 v) { return uint64_t(v.y) << 32 | v.x; }
static inline uvec2 unpackUint2x32(uint64_t x) { return uvec2(uint(x), uint(x >> 32)); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline uint min(uint a, uint b) { return a < b ? a : b; }
static inline uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline uint max(uint a, uint b) { return a > b ? a : b; }
static inline int clamp(int x, int low, int high) { return min(max(x, low), high); }
static inline uint clamp(uint x, uint low, uint high) { return min(max(x, low), high); }
