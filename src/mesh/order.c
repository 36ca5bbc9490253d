// Orders of elements in which neighbours are near each other: along a Hilbert curve, and in
// clusters.
#include "global.h"
#include "local.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

// ---- the Hilbert curve -------------------------------------------------------------------------

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

// ---- clusters ----------------------------------------------------------------------------------

// The number of elements in a cluster: that of a block of the fastest kernels for low orders, whose
// time goes mostly into reading traces.
#define CLUSTER 10

// The weight of a face that leads into the cluster which is being filled, and of one that leads
// into an earlier cluster. The latter keeps single elements from being left over between clusters.
#define FACE_INSIDE  5
#define FACE_EARLIER 1

// Clusters that are being filled with elements. Elements are known by their numbers in the order
// before.
typedef struct growth {
    int32_t (*behind)[SEDGE_FACES];           // [elements] neighbours; -1: none on this rank
    int32_t first, end;                       // the range in which elements are exchanged
    int32_t *taken;                           // [elements] new number; -1: none yet
    int32_t candidate[CLUSTER * SEDGE_FACES]; // free neighbours of the cluster,
    int weight[CLUSTER * SEDGE_FACES];        // and what their faces count for
    int candidates;
} growth;

typedef struct behind_job {
    const growth *g;
    const sedge_record *records;
    int rank;
    const int32_t *number;
} behind_job;

static void list_behind(void *context, int64_t first, int64_t end)
{
    const behind_job *const job = context;

    for (int64_t i = first; i < end; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &job->records[i].faces[f];
            job->g->behind[job->number[i]][f] =
                face->boundary || face->rank != job->rank ? -1 : job->number[face->position];
        }
    }
}

static int weigh(const growth *g, int32_t e, int32_t start)
{
    int sum = 0;

    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t n = g->behind[e][f];
        if (n < 0 || g->taken[n] < 0) continue;
        sum += g->taken[n] >= start ? FACE_INSIDE : FACE_EARLIER;
    }
    return sum;
}

// The neighbour of the cluster whose faces count most, then the first in order; -1: none.
static int32_t find_next(const growth *g)
{
    int32_t best = -1;
    int most = 0;

    for (int i = 0; i < g->candidates; i++) {
        if (g->weight[i] < most || (g->weight[i] == most && g->candidate[i] >= best)) continue;
        most = g->weight[i];
        best = g->candidate[i];
    }
    return best;
}

// Where `e` is among the candidates, or the place behind them.
static int find_candidate(const growth *g, int32_t e)
{
    int i = 0;

    while (i < g->candidates && g->candidate[i] != e) i++;
    return i;
}

// Give `e` the number `count`, in the cluster that begins at `start`.
static void take(growth *g, int32_t e, int32_t count, int32_t start)
{
    const int own = find_candidate(g, e);

    g->taken[e] = count;
    if (own < g->candidates) {
        g->candidates--;
        g->candidate[own] = g->candidate[g->candidates];
        g->weight[own] = g->weight[g->candidates];
    }
    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t n = g->behind[e][f];
        if (n < g->first || n >= g->end || g->taken[n] >= 0) continue;
        const int i = find_candidate(g, n);
        g->candidates += i == g->candidates;
        g->candidate[i] = n;
        g->weight[i] = weigh(g, n, start);
    }
}

static void grow_range(growth *g)
{
    int32_t seed = g->first;
    int32_t start = g->first;

    for (int32_t count = g->first; count < g->end; count++) {
        if (count == start + CLUSTER) start = count;
        if (count == start) g->candidates = 0;
        int32_t next = find_next(g);
        if (next < 0) {
            while (g->taken[seed] >= 0) seed++;
            next = seed;
        }
        take(g, next, count, start);
    }
}

sedge_status sedge_local_cluster(int32_t *number, int32_t *order, const sedge_mesh *mesh,
                                 const sedge_record *records, int rank, int threads)
{
    const int32_t elements = mesh->elements;
    growth g = {.candidates = 0};
    int32_t *changed = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&g.taken, elements, sizeof *g.taken));
    SEDGE_TRY_GOTO(status, sedge_allocate(&g.behind, elements, sizeof *g.behind));
    SEDGE_TRY_GOTO(status, sedge_allocate(&changed, elements, sizeof *changed));
    behind_job job = {&g, records, rank, number};
    sedge_parallel(threads, elements, 8192, list_behind, &job);
    for (int32_t e = 0; e < elements; e++) g.taken[e] = -1;
    for (int i = 0; i < mesh->range_count; i++) {
        g.first = mesh->ranges[i].first;
        g.end = g.first + mesh->ranges[i].count;
        grow_range(&g);
    }
    for (int32_t e = 0; e < elements; e++) changed[g.taken[e]] = order[e];
    for (int32_t e = 0; e < elements; e++) {
        order[e] = changed[e];
        number[order[e]] = e;
    }
done:
    sedge_release(g.taken);
    sedge_release(g.behind);
    sedge_release(changed);
    return status;
}
