#include "level_graph.h"

#include "base/memory.h"

#include <string.h>

void sedge_level_graph_clear(sedge_level_graph *graph)
{
    sedge_release(graph->offsets);
    sedge_release(graph->neighbours);
    sedge_release(graph->faces);
    sedge_release(graph->work);
    sedge_release(graph->level);
    memset(graph, 0, sizeof *graph);
}

sedge_status sedge_level_graph_start(sedge_level_graph *out, int32_t vertices, int64_t edges)
{
    memset(out, 0, sizeof *out);
    SEDGE_TRY(sedge_allocate(&out->offsets, vertices + 1LL, sizeof *out->offsets));
    SEDGE_TRY(sedge_allocate(&out->neighbours, edges, sizeof *out->neighbours));
    SEDGE_TRY(sedge_allocate(&out->faces, edges, sizeof *out->faces));
    SEDGE_TRY(sedge_allocate(&out->work, vertices, sizeof *out->work));
    SEDGE_TRY(sedge_allocate(&out->level, vertices, sizeof *out->level));
    out->vertices = vertices;
    return SEDGE_OK;
}

int32_t sedge_level_graph_random(uint64_t *state, int32_t limit)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX
    return (int32_t)((*state >> 33) % (uint64_t)limit);
}

// ---- coarsening --------------------------------------------------------------------------------

// The neighbour to join with v: over most faces, then the one of least work; -1: there is
// none.
static int32_t find_mate(const sedge_level_graph *g, const int32_t *mate, int32_t v,
                         int32_t heaviest)
{
    int32_t best = -1;
    int32_t best_faces = 0;

    for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t n = g->neighbours[i];
        if (mate[n] >= 0 || g->level[n] != g->level[v]) continue;
        if (g->work[n] > heaviest - g->work[v] || g->faces[i] < best_faces) continue;
        if (g->faces[i] == best_faces && g->work[n] >= g->work[best]) continue;
        best = n;
        best_faces = g->faces[i];
    }
    return best;
}

// mate [vertices]: the other vertex of each one's pair, or the vertex itself. Vertices choose in
// random order, so that pairs lie in no pattern.
static sedge_status match(int32_t *mate, const sedge_level_graph *g,
                          const int32_t heaviest[SEDGE_GRAPH_LEVELS])
{
    int32_t *order;
    uint64_t state = 1;

    SEDGE_TRY(sedge_allocate(&order, g->vertices, sizeof *order));
    for (int32_t v = 0; v < g->vertices; v++) {
        const int32_t place = sedge_level_graph_random(&state, v + 1);
        order[v] = order[place];
        order[place] = v;
        mate[v] = -1;
    }
    for (int32_t i = 0; i < g->vertices; i++) {
        const int32_t v = order[i];
        if (mate[v] >= 0) continue;
        const int32_t other = find_mate(g, mate, v, heaviest[g->level[v]]);
        mate[v] = other >= 0 ? other : v;
        mate[mate[v]] = v;
    }
    sedge_release(order);
    return SEDGE_OK;
}

// Add the edges of v to the last vertex of `out`, c, whose first edge is `first`. place [vertices
// of `out`] is the edge of c to each vertex if it is one of c's.
static void join_edges(sedge_level_graph *out, int32_t *place, const sedge_level_graph *g,
                       const int32_t *parent, int32_t v, int32_t c, int32_t *end)
{
    const int32_t first = out->offsets[c];

    for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t to = parent[g->neighbours[i]];
        if (to == c) continue;
        const int32_t known = place[to];
        if (known >= first && known < *end && out->neighbours[known] == to) {
            out->faces[known] += g->faces[i];
            continue;
        }
        place[to] = *end;
        out->neighbours[*end] = to;
        out->faces[(*end)++] = g->faces[i];
    }
}

sedge_status sedge_level_graph_coarsen(sedge_level_graph *out, int32_t *parent,
                                       const sedge_level_graph *graph,
                                       const int32_t heaviest[SEDGE_GRAPH_LEVELS])
{
    int32_t *mate = NULL;
    int32_t *place = NULL;
    int32_t vertices = 0;
    int32_t end = 0;
    sedge_status status;

    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, sedge_allocate(&mate, graph->vertices, sizeof *mate));
    SEDGE_TRY_GOTO(status, match(mate, graph, heaviest));
    for (int32_t v = 0; v < graph->vertices; v++)
        parent[v] = mate[v] < v ? parent[mate[v]] : vertices++;
    SEDGE_TRY_GOTO(status, sedge_level_graph_start(out, vertices, graph->offsets[graph->vertices]));
    SEDGE_TRY_GOTO(status, sedge_allocate(&place, vertices, sizeof *place));
    for (int32_t v = 0, c = 0; v < graph->vertices; v++) {
        if (mate[v] < v) continue;
        out->level[c] = graph->level[v];
        out->work[c] = graph->work[v];
        join_edges(out, place, graph, parent, v, c, &end);
        if (mate[v] > v) {
            out->work[c] += graph->work[mate[v]];
            join_edges(out, place, graph, parent, mate[v], c, &end);
        }
        out->offsets[++c] = end;
    }
done:
    sedge_release(mate);
    sedge_release(place);
    return status;
}

// ---- one side of a graph -----------------------------------------------------------------------

sedge_status sedge_level_graph_extract(sedge_level_graph *out, int32_t *vertex,
                                       const sedge_level_graph *graph, const uint8_t *side,
                                       int which)
{
    int32_t *number = NULL; // [vertices] in `out`
    int32_t vertices = 0;
    int32_t end = 0;
    sedge_status status;

    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, sedge_allocate(&number, graph->vertices, sizeof *number));
    for (int32_t v = 0; v < graph->vertices; v++) {
        if (side[v] != which) continue;
        number[v] = vertices;
        vertex[vertices++] = v;
    }
    SEDGE_TRY_GOTO(status, sedge_level_graph_start(out, vertices, graph->offsets[graph->vertices]));
    for (int32_t c = 0; c < vertices; c++) {
        const int32_t v = vertex[c];
        out->level[c] = graph->level[v];
        out->work[c] = graph->work[v];
        for (int32_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            if (side[graph->neighbours[i]] != which) continue;
            out->neighbours[end] = number[graph->neighbours[i]];
            out->faces[end++] = graph->faces[i];
        }
        out->offsets[c + 1] = end;
    }
done:
    sedge_release(number);
    return status;
}
