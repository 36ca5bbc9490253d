// How the elements of several arrays are visited together.
#include "array/array_internal.h"

#include <stdlib.h>

// The stride of an array in dimension `d` of the common shape: 0 where it is broadcast.
static int64_t stride_of(const sedge_array *array, int dimensions, int d)
{
    if (array == NULL) return 0;
    const int own = d + array->dimensions - dimensions;
    return own >= 0 && array->shape[own] != 1 ? array->stride[own] : 0;
}

// Whether the last dimension goes on where dimension `d` of the common shape begins.
static bool can_merge(const sedge_walk *walk, int operands, const int64_t *stride, int64_t size)
{
    const int last = walk->dimensions - 1;

    if (last < 0) return false;
    for (int k = 0; k < operands; k++)
        if (walk->stride[k][last] != stride[k] * size) return false;
    return true;
}

static void add_dimension(sedge_walk *walk, int operands, const int64_t *stride, int64_t size)
{
    const bool merge = can_merge(walk, operands, stride, size);
    const int to = merge ? walk->dimensions - 1 : walk->dimensions;

    walk->shape[to] = merge ? walk->shape[to] * size : size;
    for (int k = 0; k < operands; k++) walk->stride[k][to] = stride[k];
    walk->dimensions = to + 1;
}

static void set_contiguous(sedge_walk *walk, int operands)
{
    walk->contiguous = walk->dimensions <= 1;
    for (int k = 0; k < operands && walk->dimensions == 1; k++)
        if (walk->stride[k][0] != 0 && walk->stride[k][0] != 1) walk->contiguous = false;
}

void sedge_walk_make(sedge_walk *walk, int dimensions, const int64_t *shape, int operands,
                     const sedge_array *const *arrays)
{
    int64_t stride[SEDGE_LEAVES + 1];

    walk->count = sedge_shape_count(dimensions, shape);
    walk->dimensions = 0;
    for (int d = 0; d < dimensions && walk->count > 0; d++) {
        if (shape[d] == 1) continue;
        for (int k = 0; k < operands; k++) stride[k] = stride_of(arrays[k], dimensions, d);
        add_dimension(walk, operands, stride, shape[d]);
    }
    set_contiguous(walk, operands);
}

void sedge_walk_sort(sedge_walk *walk, int operands)
{
    sedge_walk sorted = {.count = walk->count};
    int order[SEDGE_ARRAY_DIMENSIONS];

    if (walk->dimensions < 2) return;
    for (int d = 0; d < walk->dimensions; d++) { // the first operand's largest stride first
        int to = d;
        for (; to > 0 && llabs(walk->stride[0][order[to - 1]]) < llabs(walk->stride[0][d]); to--)
            order[to] = order[to - 1];
        order[to] = d;
    }
    for (int d = 0; d < walk->dimensions; d++) {
        int64_t stride[SEDGE_LEAVES + 1];
        for (int k = 0; k < operands; k++) stride[k] = walk->stride[k][order[d]];
        add_dimension(&sorted, operands, stride, walk->shape[order[d]]);
    }
    set_contiguous(&sorted, operands);
    *walk = sorted;
}
