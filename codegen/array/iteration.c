#include "array/iteration.h"

#include "array/strided.h"

#include <stdlib.h>

// The stride of an array in dimension `d` of the common shape: 0 where it is broadcast.
static int64_t stride_of(const sedge_array *array, int dimensions, int d)
{
    if (array == NULL) return 0;
    const int own = d + array->dimensions - dimensions;
    return own >= 0 && array->shape[own] != 1 ? array->stride[own] : 0;
}

// Whether the last dimension goes on where dimension `d` of the common shape begins.
static bool can_merge(const sedge_iteration *iteration, int operands, const int64_t *stride,
                      int64_t size)
{
    const int last = iteration->dimensions - 1;

    if (last < 0) return false;
    for (int k = 0; k < operands; k++)
        if (iteration->stride[k][last] != stride[k] * size) return false;
    return true;
}

static void add_dimension(sedge_iteration *iteration, int operands, const int64_t *stride,
                          int64_t size)
{
    const bool merge = can_merge(iteration, operands, stride, size);
    const int to = merge ? iteration->dimensions - 1 : iteration->dimensions;

    iteration->shape[to] = merge ? iteration->shape[to] * size : size;
    for (int k = 0; k < operands; k++) iteration->stride[k][to] = stride[k];
    iteration->dimensions = to + 1;
}

static void set_contiguous(sedge_iteration *iteration, int operands)
{
    iteration->contiguous = iteration->dimensions <= 1;
    for (int k = 0; k < operands && iteration->dimensions == 1; k++) {
        if (iteration->stride[k][0] != 0 && iteration->stride[k][0] != 1)
            iteration->contiguous = false;
    }
}

void sedge_iteration_make(sedge_iteration *iteration, int dimensions, const int64_t *shape,
                          int operands, const sedge_array *const *arrays)
{
    int64_t stride[SEDGE_ITERATION_OPERANDS];

    iteration->count = sedge_shape_count(dimensions, shape);
    iteration->dimensions = 0;
    for (int d = 0; d < dimensions && iteration->count > 0; d++) {
        if (shape[d] == 1) continue;
        for (int k = 0; k < operands; k++) stride[k] = stride_of(arrays[k], dimensions, d);
        add_dimension(iteration, operands, stride, shape[d]);
    }
    set_contiguous(iteration, operands);
}

void sedge_iteration_sort(sedge_iteration *iteration, int operands)
{
    sedge_iteration sorted = {.count = iteration->count};
    int order[SEDGE_ARRAY_DIMENSIONS];

    if (iteration->dimensions < 2) return;
    for (int d = 0; d < iteration->dimensions; d++) { // the first operand's largest stride first
        int to = d;
        for (;
             to > 0 && llabs(iteration->stride[0][order[to - 1]]) < llabs(iteration->stride[0][d]);
             to--)
            order[to] = order[to - 1];
        order[to] = d;
    }
    for (int d = 0; d < iteration->dimensions; d++) {
        int64_t stride[SEDGE_ITERATION_OPERANDS];
        for (int k = 0; k < operands; k++) stride[k] = iteration->stride[k][order[d]];
        add_dimension(&sorted, operands, stride, iteration->shape[order[d]]);
    }
    set_contiguous(&sorted, operands);
    *iteration = sorted;
}
