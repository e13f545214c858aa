// Compares one function of templates/math with a wider truth.
//   sweep STRIDE FIRST LAST       unary: every STRIDE-th bit pattern from FIRST to LAST
//   sweep random COUNT SEED       binary: edges x edges, then COUNT random pairs
// Prints one line: count, worst error in ulp with its input, and how many special values differ.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" void apply(const uint32_t *a, const uint32_t *b, uint32_t *out, size_t count);

#include "error.h"
#include "truth.h"

static float from_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

struct Tally {
    double worst = 0;
    uint32_t a = 0, b = 0, got = 0;
    uint64_t count = 0, special = 0, above_one = 0, inexact = 0;

    void add(uint32_t first, uint32_t second, uint32_t result) {
        double truth = truth::TRUTH(from_bits(first), from_bits(second));
        double ulp = error(from_bits(result), truth);
        count++;
        if (ulp < 0) {
            if (special++ < 10)
                std::fprintf(stderr, "special: %08x (%g) %08x (%g) gave %08x (%g), truth %g\n", first,
                             from_bits(first), second, from_bits(second), result, from_bits(result), truth);
            return;
        }
        above_one += ulp > 1.0;
        inexact += ulp > 0.5;
        if (ulp > worst) worst = ulp, a = first, b = second, got = result;
    }
};

int main(int count, char **arguments) {
    const size_t block = 4096;
    std::vector<uint32_t> a(block), b(block), out(block);
    size_t filled = 0;
    Tally tally;
    auto flush = [&] {
        apply(a.data(), b.data(), out.data(), filled);
        for (size_t i = 0; i < filled; i++) tally.add(a[i], b[i], out[i]);
        filled = 0;
    };
    auto push = [&](uint32_t first, uint32_t second) {
        a[filled] = first, b[filled] = second;
        if (++filled == block) flush();
    };
    if (!std::strcmp(arguments[1], "random")) {
        std::vector<uint32_t> edges;
        for (uint32_t exponent = 0; exponent < 256; exponent += exponent > 105 && exponent < 152 ? 1 : 13)
            for (uint32_t fraction : {0u, 1u, 0x400000u, 0x7fffffu, 0x3504f3u, 0x155555u})
                for (uint32_t sign : {0u, 1u << 31}) edges.push_back(sign | exponent << 23 | fraction);
        for (uint32_t first : edges)
            for (uint32_t second : edges) push(first, second);
        uint64_t state = std::strtoull(arguments[3], nullptr, 0) * 0x9e3779b97f4a7c15ull + 1;
        auto next = [&] {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            return uint32_t(state * 0x2545f4914f6cdd1dull >> 32);
        };
        uint64_t pairs = std::strtoull(arguments[2], nullptr, 0);
        for (uint64_t i = 0; i < pairs; i++) {
            uint32_t first = next(), second = next();
            // A quarter ranges over everything, the rest keeps near the decades where functions live.
            auto near_one = [](uint32_t bits, uint32_t span) {
                return (bits & 0x807fffff) | ((128 - span / 2 + (bits >> 23) % span) << 23);
            };
            const uint32_t first_span[] = {0, 32, 8, 2}, second_span[] = {0, 32, 8, 20};
            if (i & 3) first = near_one(first, first_span[i & 3]), second = near_one(second, second_span[i & 3]);
            push(first, second);
        }
    } else {
        uint64_t stride = std::strtoull(arguments[1], nullptr, 0), first = std::strtoull(arguments[2], nullptr, 0);
        uint64_t last = std::strtoull(arguments[3], nullptr, 0);
        for (uint64_t bits = first; bits <= last; bits += stride) push(uint32_t(bits), 0);
    }
    flush();
    std::printf("%llu inputs, max %.4f ulp at %08x (%.9g) %08x (%.9g) gave %.9g; %llu above 1 ulp, %.3f%% above 0.5; "
                "%llu special values differ\n",
                (unsigned long long)tally.count, tally.worst, tally.a, from_bits(tally.a), tally.b, from_bits(tally.b),
                from_bits(tally.got), (unsigned long long)tally.above_one, 100.0 * tally.inexact / tally.count,
                (unsigned long long)tally.special);
    return tally.special != 0;
}
