// The shapes of kernels beside the stages.
#pragma once

#include "operator/operator.h"

#include "forms/target.h"

// Threads of a block of the kernels that store at other ranks, and how many blocks' work one such
// block does, of `blocks` in all. Where ranks store, there are at most half as many blocks as
// multiprocessors: so stores to other GPUs hold up less of the work beside them
// (benchmarks/MEASUREMENTS.md, one to eight GPUs).
int operator_sent_threads(const sedge_device_info *info);
int operator_sent_turns(const sedge_operator *op, int64_t blocks);

// Of those that measure energies: a block has `each` elements of `rows` items with at most `tile`
// nodes each; on the host one SIMD batch, all in one item.
typedef struct operator_energy_shape {
    int tile, rows, each;
} operator_energy_shape;

operator_energy_shape operator_energy_choose(const operator_target *target);
