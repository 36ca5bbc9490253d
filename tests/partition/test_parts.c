// Parts of a graph that are balanced in every level of the time step.
#include "base/memory.h"
#include "check.h"
#include "partition/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a cube of cells with levels around a corner -----------------------------------------------

enum { SIDE = 24, CELLS = SIDE * SIDE * SIDE };

// Each cell has an edge to those beside it. Level 0 is a ball around a corner, where parts of equal
// cells have nearly all of it on one part.
static sedge_level_graph make_cube(int levels)
{
    sedge_level_graph g;
    int32_t edges = 0;

    CHECK_OK(sedge_level_graph_start(&g, CELLS, 6LL * CELLS));
    for (int32_t v = 0; v < CELLS; v++) {
        const int x[3] = {v % SIDE, v / SIDE % SIDE, v / SIDE / SIDE};
        const int32_t stride[3] = {1, SIDE, SIDE * SIDE};
        const double distance = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        const double level = floor(distance / (0.15 * SIDE));
        for (int d = 0; d < 3; d++) {
            if (x[d] > 0) g.neighbours[edges++] = v - stride[d];
            if (x[d] + 1 < SIDE) g.neighbours[edges++] = v + stride[d];
        }
        g.offsets[v + 1] = edges;
        g.work[v] = 1;
        g.level[v] = (uint8_t)fmin(level, levels - 1);
    }
    for (int32_t i = 0; i < edges; i++) g.faces[i] = 1;
    return g;
}

static double find_path(const sedge_level_graph *g, const int32_t *part, int parts)
{
    int64_t counts[16][SEDGE_GRAPH_LEVELS] = {{0}};

    for (int32_t v = 0; v < g->vertices; v++) {
        CHECK(part[v] >= 0 && part[v] < parts);
        counts[part[v]][g->level[v]]++;
    }
    return sedge_parts_path((const int64_t(*)[SEDGE_GRAPH_LEVELS])counts, parts);
}

static int32_t count_cut(const sedge_level_graph *g, const int32_t *part)
{
    int32_t cut = 0;

    for (int32_t v = 0; v < g->vertices; v++) {
        for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            cut += part[v] < part[g->neighbours[i]];
    }
    return cut;
}

// A bisection leaves 2 % of imbalance in the work and 4 % in the elements, and there are P - 1. The
// cut is compared with that of P equal slices, P - 1 planes through the cube, which is far from the
// best for many parts, and of which balance may take half as much again.
static void test_balance(void)
{
    const int tried[] = {2, 3, 4, 7, 8};
    sedge_level_graph g = make_cube(5);
    int32_t *part, *again;

    CHECK_OK(sedge_allocate(&part, CELLS, sizeof *part));
    CHECK_OK(sedge_allocate(&again, CELLS, sizeof *again));
    for (int i = 0; i < 5; i++) {
        const int parts = tried[i];
        int32_t elements[8] = {0};
        CHECK_OK(sedge_parts_by_levels(part, &g, parts, 1));
        CHECK(find_path(&g, part, parts) <= pow(1.02, parts - 1));
        for (int32_t v = 0; v < CELLS; v++) elements[part[v]]++;
        for (int p = 0; p < parts; p++) CHECK(elements[p] * parts <= CELLS * pow(1.04, parts - 1));
        CHECK(count_cut(&g, part) <= 1.5 * (parts - 1) * SIDE * SIDE);
        CHECK_OK(sedge_parts_by_levels(again, &g, parts, 4));
        CHECK(memcmp(part, again, CELLS * sizeof *part) == 0);
        // Slices of equal cells, for comparison: the ball is in the first ones.
        for (int32_t v = 0; v < CELLS; v++) part[v] = (int32_t)((int64_t)v * parts / CELLS);
        CHECK(find_path(&g, part, parts) > 1.2);
    }
    sedge_release(part);
    sedge_release(again);
    sedge_level_graph_clear(&g);
}

// Two parts of a cube without levels: no cut is smaller than a plane, which this one exceeds by a
// fifth at most (it may be crooked: the method is a heuristic).
static void test_cut(void)
{
    sedge_level_graph g = make_cube(1);
    int32_t *part;

    CHECK_OK(sedge_allocate(&part, CELLS, sizeof *part));
    CHECK_OK(sedge_parts_by_levels(part, &g, 2, 1));
    CHECK(find_path(&g, part, 2) <= 1.02);
    CHECK(count_cut(&g, part) <= 1.2 * SIDE * SIDE);
    sedge_release(part);
    sedge_level_graph_clear(&g);
}

// Few vertices, without edges, and none: every vertex has a part.
static void test_small(void)
{
    for (int32_t vertices = 0; vertices < 5; vertices++) {
        sedge_level_graph g;
        int32_t part[5] = {-1, -1, -1, -1, -1};
        CHECK_OK(sedge_level_graph_start(&g, vertices, 0));
        for (int32_t v = 0; v < vertices; v++) {
            g.work[v] = 1;
            g.level[v] = (uint8_t)(v % 3);
        }
        CHECK_OK(sedge_parts_by_levels(part, &g, 3, 1));
        for (int32_t v = 0; v < vertices; v++) CHECK(part[v] >= 0 && part[v] < 3);
        sedge_level_graph_clear(&g);
    }
}

// Two levels, 4 ticks of which 2 are of level 0 alone: in those the parts wait for 3 elements, in
// the others for 5 (4 and 5 in all), so that 3 + 5 take the time of (4 / 2) + (9 / 2) = 6.5.
static void test_path(void)
{
    const int64_t counts[2][SEDGE_GRAPH_LEVELS] = {{3, 1}, {1, 4}};
    const int64_t even[2][SEDGE_GRAPH_LEVELS] = {{2, 0, 7}, {2, 0, 7}};

    CHECK(fabs(sedge_parts_path(counts, 2) - 8.0 / 6.5) <= 1e-15);
    CHECK(sedge_parts_path(even, 2) == 1.0);
}

int main(void)
{
    test_balance();
    test_cut();
    test_small();
    test_path();
    return CHECK_END();
}
