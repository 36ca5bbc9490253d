#include "global.h"

#include "base/memory.h"

#include <string.h>

// The low 21 bits of `a`, each followed by two zeros.
static uint64_t spread(uint32_t a)
{
    uint64_t x = a & 0x1fffffu;

    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

// Key of a point of a 2^21 cube: the transposed form of J. Skilling, "Programming the Hilbert
// curve", AIP Conf. Proc. 707 (2004) 381: undo excess work from the high bits down, Gray encode,
// then interleave the bits of the three axes. Without branches, which nothing could predict.
static uint64_t curve_position(uint32_t a[3])
{
    const int bits = 21;

    for (int bit = bits - 1; bit > 0; bit--) {
        const uint32_t low = (1u << bit) - 1;
        for (int d = 0; d < 3; d++) {
            const uint32_t set = 0u - (a[d] >> bit & 1u); // all bits: turn; none: exchange
            const uint32_t swap = (a[0] ^ a[d]) & low & ~set;
            a[d] ^= swap;
            a[0] ^= swap | (low & set);
        }
    }
    a[1] ^= a[0];
    a[2] ^= a[1];
    uint32_t turn = 0;
    for (int bit = bits - 1; bit > 0; bit--) turn ^= ((1u << bit) - 1) & (0u - (a[2] >> bit & 1u));
    return spread(a[0] ^ turn) << 2 | spread(a[1] ^ turn) << 1 | spread(a[2] ^ turn);
}

uint64_t sedge_hilbert_key(const double x[3], double bounds[2][3])
{
    const double cells = 2097151.0; // 2^21 - 1
    double extent = 0.0;
    uint32_t a[3];

    for (int d = 0; d < 3; d++)
        if (bounds[1][d] - bounds[0][d] > extent) extent = bounds[1][d] - bounds[0][d];
    for (int d = 0; d < 3; d++) {
        double u = extent > 0.0 ? (x[d] - bounds[0][d]) / extent * cells : 0.0;
        u = u < 0.0 ? 0.0 : (u > cells ? cells : u);
        a[d] = (uint32_t)u;
    }
    return curve_position(a);
}

enum { DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

static int find_digit(uint64_t key, int digit)
{
    return (int)(key >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1));
}

// Digit by digit from the last, each time keeping the order of equal ones.
sedge_status sedge_hilbert_sort(sedge_hilbert_place *list, int64_t count)
{
    int64_t(*places)[DIGIT_VALUES] = NULL; // how often each digit occurs; then where the next goes
    sedge_hilbert_place *copy = NULL;
    sedge_hilbert_place *from = list;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&places, DIGITS, sizeof *places));
    SEDGE_TRY_GOTO(status, sedge_allocate(&copy, count, sizeof *copy));
    sedge_hilbert_place *to = copy;
    for (int64_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++) places[d][find_digit(list[i].key, d)]++;
    for (int d = 0; d < DIGITS && count > 0; d++) {
        int64_t sum = 0;
        if (places[d][find_digit(list[0].key, d)] == count) continue; // all have the same
        for (int v = 0; v < DIGIT_VALUES; v++) {
            const int64_t first = sum;
            sum += places[d][v];
            places[d][v] = first;
        }
        for (int64_t i = 0; i < count; i++) to[places[d][find_digit(from[i].key, d)]++] = from[i];
        sedge_hilbert_place *const swap = from;
        from = to;
        to = swap;
    }
    if (from != list) memcpy(list, from, (size_t)count * sizeof *list);
done:
    sedge_release(places);
    sedge_release(copy);
    return status;
}
