// The shape of the kernels that measure energies.
#pragma once

#include "forms/target.h"

// A block has `each` elements of `rows` items with at most `tile` nodes each; on the host one SIMD
// batch, all in one item.
typedef struct operator_energy_shape {
    int tile, rows, each;
} operator_energy_shape;

operator_energy_shape operator_energy_choose(const operator_target *target);
