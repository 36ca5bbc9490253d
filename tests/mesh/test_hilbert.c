// The space-filling curve: through the cells of a grid it goes from neighbour to neighbour.
#include "check.h"
#include "mesh/global.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, CELLS = SIDE * SIDE * SIDE };

typedef struct visit {
    uint64_t key;
    int cell;
} visit;

static int compare_visits(const void *left, const void *right)
{
    const visit *const a = left, *const b = right;

    return (a->key > b->key) - (a->key < b->key);
}

static int count_steps(int a, int b)
{
    return abs(a % SIDE - b % SIDE) + abs(a / SIDE % SIDE - b / SIDE % SIDE) +
           abs(a / SIDE / SIDE - b / SIDE / SIDE);
}

static void test_neighbours(double low, double size)
{
    static visit visits[CELLS];
    double bounds[2][3] = {{low, low, low}, {low + size, low + size, low + size}};
    int bad = 0;

    for (int c = 0; c < CELLS; c++) {
        const int at[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
        double x[3];
        for (int d = 0; d < 3; d++) x[d] = low + size * (at[d] + 0.5) / SIDE;
        visits[c] = (visit){sedge_hilbert_key(x, bounds), c};
    }
    qsort(visits, CELLS, sizeof *visits, compare_visits);
    for (int i = 1; i < CELLS; i++) bad += count_steps(visits[i - 1].cell, visits[i].cell) != 1;
    CHECK(bad == 0);
}

static void test_outside_and_flat(void)
{
    double bounds[2][3] = {{0.0, 0.0, 0.0}, {1.0, 0.5, 0.0}};
    const double low[3] = {-1.0, 0.0, 0.0};
    const double origin[3] = {0.0, 0.0, 0.0};
    double point[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

    CHECK(sedge_hilbert_key(low, bounds) == sedge_hilbert_key(origin, bounds));
    CHECK(sedge_hilbert_key(origin, point) == 0);
}

// Keys of few and of many digits: in order, and those that are equal as they were.
static void test_sort(uint64_t mask)
{
    static sedge_hilbert_place list[5000];
    static char seen[5000];
    const int64_t count = sizeof list / sizeof *list;
    uint64_t state = 88172645463325252u;
    int bad = 0;

    memset(seen, 0, sizeof seen);
    for (int32_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        list[i] = (sedge_hilbert_place){state & mask, i};
    }
    CHECK_OK(sedge_hilbert_sort(list, count));
    for (int64_t i = 1; i < count; i++) {
        bad += list[i - 1].key > list[i].key;
        bad += list[i - 1].key == list[i].key && list[i - 1].element > list[i].element;
    }
    for (int64_t i = 0; i < count; i++) bad += seen[list[i].element]++;
    CHECK(bad == 0);
    CHECK_OK(sedge_hilbert_sort(list, 0));
}

int main(void)
{
    test_neighbours(0.0, 1.0);
    test_neighbours(-3e-6, 7e-6);
    test_outside_and_flat();
    test_sort(UINT64_MAX);
    test_sort(0xff000000f0u); // some digits are the same in all
    test_sort(1);
    return CHECK_END();
}
