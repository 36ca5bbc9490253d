#include "local.h"

#include "base/memory.h"

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

static void list_behind(growth *g, int32_t count, const sedge_record *records, int rank,
                        const int32_t *number)
{
    for (int32_t i = 0; i < count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            g->behind[number[i]][f] =
                face->boundary || face->rank != rank ? -1 : number[face->position];
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
                                 const sedge_record *records, int rank)
{
    const int32_t elements = mesh->elements;
    growth g = {.candidates = 0};
    int32_t *changed = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&g.taken, elements, sizeof *g.taken));
    SEDGE_TRY_GOTO(status, sedge_allocate(&g.behind, elements, sizeof *g.behind));
    SEDGE_TRY_GOTO(status, sedge_allocate(&changed, elements, sizeof *changed));
    list_behind(&g, elements, records, rank, number);
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
