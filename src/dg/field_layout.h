// How a file holds the fields of some elements: as fp32 values at nodes of its own in each element,
// such as ParaView's equispaced ones, in an order of its own.
#pragma once

#include <stdint.h>

typedef struct sedge_field_layout {
    int32_t count;           // elements
    const int32_t *elements; // [count] of this rank, each at most once
    int padded;              // the length of a row of `weights`, at least the number of nodes
    const double *weights;   // [nodes][padded]: [n][m] weighs node n in the value at the file's m
    const int64_t *first;    // [fields] the place of a field's first value; -1: it is left out
    const int64_t *stride;   // [fields] from a node's value to the next, elements without a gap
    const double *factor;    // [fields]
    int64_t values;          // in all
} sedge_field_layout;
