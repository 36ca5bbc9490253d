// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011), counter-based. Element i of
// stream `seed` is a function of (seed, offset + i) alone: the same bits on every device, for any
// number of ranks, in any order.
#pragma once

#include "array/array.h"

typedef struct sedge_random {
    uint64_t seed;
    uint64_t offset; // of the next element; each call below adds the array's size
} sedge_random;

// Bits: any integer type. Uniform: floating point in [0, 1), 24 or 53 bits. Normal: mean 0,
// variance 1, by Box and Muller's method with logarithm and sine of its own, made of operations
// that every device rounds alike. Complex arrays get independent parts. Any strides.
// SEDGE_ERR_USAGE for an array of another type. No function waits, and none is collective.
SEDGE_MUST_USE
sedge_status sedge_array_random_bits(sedge_array *array, sedge_random *random);
SEDGE_MUST_USE
sedge_status sedge_array_random_uniform(sedge_array *array, sedge_random *random);
SEDGE_MUST_USE
sedge_status sedge_array_random_normal(sedge_array *array, sedge_random *random);
