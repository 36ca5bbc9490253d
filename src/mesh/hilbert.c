#include "global.h"

#include <stdlib.h>

// Key of a point of a 2^21 cube: the transposed form of J. Skilling, "Programming the Hilbert
// curve", AIP Conf. Proc. 707 (2004) 381: undo excess work from the high bits down, Gray encode,
// then interleave the bits of the three axes.
static uint64_t curve_position(uint32_t a[3])
{
    const int bits = 21;

    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1) {
        const uint32_t low = q - 1;
        for (int d = 0; d < 3; d++) {
            if (a[d] & q) {
                a[0] ^= low;
            } else {
                const uint32_t swap = (a[0] ^ a[d]) & low;
                a[0] ^= swap;
                a[d] ^= swap;
            }
        }
    }
    a[1] ^= a[0];
    a[2] ^= a[1];
    uint32_t turn = 0;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if (a[2] & q) turn ^= q - 1;

    uint64_t key = 0;
    for (int bit = bits - 1; bit >= 0; bit--)
        for (int d = 0; d < 3; d++) key = key << 1 | (((a[d] ^ turn) >> bit) & 1u);
    return key;
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

static int compare_places(const void *left, const void *right)
{
    const sedge_hilbert_place *const a = left, *const b = right;

    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

void sedge_hilbert_sort(sedge_hilbert_place *list, int64_t count)
{
    qsort(list, (size_t)count, sizeof *list, compare_places);
}
