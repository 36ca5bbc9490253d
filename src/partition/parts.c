#include "parts.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "halves.h"

#include <math.h>
#include <string.h>

enum {
    COARSEST = 100, // vertices a level in the coarsest graph, about
    DEEPEST = 32,   // graphs at most
    TRIES = 12,     // bisections of the coarsest graph
    PASSES = 6,     // of refinement
    COARSE_PASSES = 12,
};

// A graph and the coarser ones made of it.
typedef struct hierarchy {
    int graphs;
    sedge_level_graph graph[DEEPEST]; // [0] is borrowed
    int32_t *parent[DEEPEST];         // [vertices of the graph] in the next coarser one
    uint8_t *side[DEEPEST];           // [vertices of the graph]
} hierarchy;

// ---- coarsening --------------------------------------------------------------------------------

static int count_levels(int64_t work[SEDGE_GRAPH_LEVELS], const sedge_level_graph *g)
{
    int levels = 1;

    memset(work, 0, SEDGE_GRAPH_LEVELS * sizeof *work);
    for (int32_t v = 0; v < g->vertices; v++) work[g->level[v]] += g->work[v];
    for (int l = 0; l < SEDGE_GRAPH_LEVELS; l++)
        if (work[l] > 0) levels = l + 1;
    return levels;
}

static sedge_status coarsen(hierarchy *h, const sedge_level_graph *graph)
{
    int64_t work[SEDGE_GRAPH_LEVELS];
    int32_t heaviest[SEDGE_GRAPH_LEVELS];
    const int levels = count_levels(work, graph);

    for (int l = 0; l < SEDGE_GRAPH_LEVELS; l++) {
        const int64_t heavy = 2 * work[l] / COARSEST;
        heaviest[l] = heavy < INT32_MAX / 2 ? (int32_t)heavy : INT32_MAX / 2; // pairs are added
    }
    h->graph[0] = *graph;
    h->graphs = 1;
    for (;;) {
        const int last = h->graphs - 1;
        const sedge_level_graph *const fine = &h->graph[last];
        SEDGE_TRY(sedge_allocate(&h->side[last], fine->vertices, sizeof **h->side));
        if (h->graphs == DEEPEST || fine->vertices <= COARSEST * levels) return SEDGE_OK;
        SEDGE_TRY(sedge_allocate(&h->parent[last], fine->vertices, sizeof **h->parent));
        const sedge_status status =
            sedge_level_graph_coarsen(&h->graph[h->graphs++], h->parent[last], fine, heaviest);
        SEDGE_TRY(status);
        if (h->graph[last + 1].vertices < 0.95 * fine->vertices) continue;
        sedge_level_graph_clear(&h->graph[--h->graphs]);
        return SEDGE_OK;
    }
}

static void clear_hierarchy(hierarchy *h)
{
    for (int i = 0; i < DEEPEST; i++) {
        if (i > 0) sedge_level_graph_clear(&h->graph[i]);
        sedge_release(h->parent[i]);
        sedge_release(h->side[i]);
    }
}

// ---- bisection ---------------------------------------------------------------------------------

// Vertices in the order in which they are found from a vertex, neighbours first; those of other
// components come last.
static void list_from(int32_t *order, bool *found, const sedge_level_graph *g, int32_t start)
{
    int32_t end = 0;
    int32_t next = 0;

    memset(found, 0, (size_t)g->vertices * sizeof *found);
    for (int32_t i = 0; i < g->vertices; i++) {
        const int32_t root = i == 0 ? start : i - 1;
        if (!found[root]) {
            found[root] = true;
            order[end++] = root;
        }
        for (; next < end; next++) {
            const int32_t v = order[next];
            for (int32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
                const int32_t n = g->neighbours[k];
                if (found[n]) continue;
                found[n] = true;
                order[end++] = n;
            }
        }
    }
}

// Side 0 gets of each level the vertices that come first, up to its share.
static void fill_side(uint8_t *side, const sedge_halves *halves, const int32_t *order,
                      const int64_t work[SEDGE_GRAPH_LEVELS])
{
    const sedge_level_graph *const g = halves->graph;
    double taken[SEDGE_GRAPH_LEVELS] = {0.0};

    for (int32_t i = 0; i < g->vertices; i++) {
        const int32_t v = order[i];
        const int l = g->level[v];
        side[v] = taken[l] + 0.5 * g->work[v] > halves->share * (double)work[l];
        if (side[v] == 0) taken[l] += g->work[v];
    }
}

// The best of some bisections of a small graph: each grows from another vertex.
static sedge_status bisect_coarsest(uint8_t *side, const sedge_halves *halves)
{
    const sedge_level_graph *const g = halves->graph;
    int64_t work[SEDGE_GRAPH_LEVELS];
    int32_t *order = NULL;
    bool *found = NULL;
    uint8_t *tried = NULL;
    double least = HUGE_VAL;
    uint64_t state = 1;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&order, g->vertices, sizeof *order));
    SEDGE_TRY_GOTO(status, sedge_allocate(&found, g->vertices, sizeof *found));
    SEDGE_TRY_GOTO(status, sedge_allocate(&tried, g->vertices, sizeof *tried));
    (void)count_levels(work, g);
    for (int i = 0; i < TRIES; i++) {
        list_from(order, found, g, sedge_level_graph_random(&state, g->vertices));
        // The last vertex lies at the rim.
        list_from(order, found, g, order[g->vertices - 1]);
        fill_side(tried, halves, order, work);
        SEDGE_TRY_GOTO(status, sedge_halves_refine(tried, halves, true, COARSE_PASSES));
        const double cost = sedge_halves_cost(halves, tried);
        if (cost >= least) continue;
        least = cost;
        memcpy(side, tried, (size_t)g->vertices * sizeof *side);
    }
done:
    sedge_release(order);
    sedge_release(found);
    sedge_release(tried);
    return status;
}

// side [vertices]: 0 for `share` of the work of each level, else 1.
static sedge_status bisect(uint8_t *side, const sedge_level_graph *graph, double share)
{
    int64_t work[SEDGE_GRAPH_LEVELS];
    sedge_halves halves = {
        .levels = count_levels(work, graph),
        .share = share,
        .price = 50.0 * pow(graph->vertices, 2.0 / 3.0),
    };
    hierarchy h = {.graphs = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, coarsen(&h, graph));
    const int last = h.graphs - 1;
    halves.graph = &h.graph[last];
    SEDGE_TRY_GOTO(status, bisect_coarsest(h.side[last], &halves));
    for (int i = last - 1; i >= 0; i--) {
        halves.graph = &h.graph[i];
        for (int32_t v = 0; v < h.graph[i].vertices; v++)
            h.side[i][v] = h.side[i + 1][h.parent[i][v]];
        SEDGE_TRY_GOTO(status, sedge_halves_refine(h.side[i], &halves, false, PASSES));
    }
    memcpy(side, h.side[0], (size_t)graph->vertices * sizeof *side);
done:
    clear_hierarchy(&h);
    return status;
}

// ---- all parts ---------------------------------------------------------------------------------

// The two sides of a graph, each of which becomes parts by itself.
typedef struct division {
    int32_t *part;
    const int32_t *vertex; // [vertices] their places in `part`; NULL: the same
    const sedge_level_graph *graph;
    uint8_t *side;
    int32_t *place[2]; // [vertices of the side] in `graph`, then in `part`
    int first[2], parts[2];
    int threads; // of each side
    sedge_status status[2];
} division;

static sedge_status divide(int32_t *part, const int32_t *vertex, const sedge_level_graph *graph,
                           int first, int parts, int threads);

static sedge_status divide_side(const division *job, int s)
{
    int32_t *const place = job->place[s];
    sedge_level_graph half;
    sedge_status status = sedge_level_graph_extract(&half, place, job->graph, job->side, s);

    for (int32_t v = 0; v < half.vertices && job->vertex != NULL; v++)
        place[v] = job->vertex[place[v]];
    if (status == SEDGE_OK)
        status = divide(job->part, place, &half, job->first[s], job->parts[s], job->threads);
    sedge_level_graph_clear(&half);
    return status;
}

static void divide_sides(void *context, int64_t first, int64_t end)
{
    division *const job = context;

    for (int64_t s = first; s < end; s++) job->status[s] = divide_side(job, (int)s);
}

// Parts first .. first + parts - 1 for the vertices of a graph.
static sedge_status divide(int32_t *part, const int32_t *vertex, const sedge_level_graph *graph,
                           int first, int parts, int threads)
{
    const int lower = parts / 2;
    division job = {.part = part,
                    .vertex = vertex,
                    .graph = graph,
                    .first = {first, first + lower},
                    .parts = {lower, parts - lower},
                    .threads = threads > 1 ? threads / 2 : 1};
    sedge_status status;

    if (parts == 1 || graph->vertices == 0) {
        for (int32_t v = 0; v < graph->vertices; v++) part[vertex != NULL ? vertex[v] : v] = first;
        return SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.side, graph->vertices, sizeof *job.side));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.place[0], graph->vertices, sizeof **job.place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&job.place[1], graph->vertices, sizeof **job.place));
    SEDGE_TRY_GOTO(status, bisect(job.side, graph, (double)lower / parts));
    sedge_parallel(threads, 2, 1, divide_sides, &job);
    for (int s = 0; s < 2 && status == SEDGE_OK; s++) {
        // The message of another thread is lost.
        if (job.status[s] != SEDGE_OK)
            status = SEDGE_FAIL(job.status[s], "out of memory for the parts of the mesh");
    }
done:
    sedge_release(job.side);
    sedge_release(job.place[0]);
    sedge_release(job.place[1]);
    return status;
}

double sedge_parts_path(const int64_t (*work)[SEDGE_GRAPH_LEVELS], int parts)
{
    int levels = 1;
    double path = 0.0;
    double mean = 0.0;
    double ticks = 1.0;

    for (int l = 0; l < SEDGE_GRAPH_LEVELS; l++) {
        for (int p = 0; p < parts; p++)
            if (work[p][l] > 0) levels = l + 1;
    }
    for (int l = 0; l < levels; l++) {
        double most = 0.0;
        double all = 0.0;
        for (int p = 0; p < parts; p++) {
            double active = 0.0;
            for (int k = 0; k <= l; k++) active += (double)work[p][k];
            most = fmax(most, active);
            all += active;
        }
        if (l + 1 < levels) ticks *= 0.5;
        path += ticks * most;
        mean += ticks * all / parts;
    }
    return mean > 0.0 ? path / mean : 1.0;
}

sedge_status sedge_parts_by_levels(int32_t *part, const sedge_level_graph *graph, int parts,
                                   int threads)
{
    return divide(part, NULL, graph, 0, parts, threads);
}
