// What the tests of reductions, scans, selection and random numbers share: a context on the device
// under test, arrays from host values, values that look random and are the same in every run.
#pragma once

#include "check.h"
#include "elementwise/copy.h"
#include "elementwise/expression.h"

#include "array/context.h"
#include "reduce/reduce.h"
#include "sampled.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline sedge_context *open_context(void)
{
    const char *const device = getenv("SEDGE_TEST_DEVICE");
    sedge_context *context = NULL;

    CHECK_OK(sedge_context_open(&context, device != NULL ? device : "host"));
    return context;
}

// Whether the host runs the GPUs' form, an item at a time: some hundred times slower.
static inline bool in_random_order(void)
{
    const char *const order = getenv("SEDGE_ORDER");

    return order != NULL && strncmp(order, "random", 6) == 0;
}

// Whether all types, views and messages are tried. Items in random order are there for barriers,
// which these do not add to: then with SEDGE_TEST_ALL only.
static inline bool with_all_types(void)
{
    return !in_random_order() || getenv("SEDGE_TEST_ALL") != NULL;
}

// Whether kernels are ten to a hundred times slower than elsewhere: in random order, on PoCL, which
// does not optimise them for tests, and under sanitizers (SEDGE_TEST_SLOW). Then few long arrays
// are tried.
static inline bool is_slow(void)
{
    const bool slow = in_random_order() || getenv("SEDGE_TEST_SLOW") != NULL;

    return (slow && getenv("SEDGE_TEST_ALL") == NULL) || test_is_sampled();
}

// Whether a selection is asked for: the argument "few".
static inline bool is_few(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "few") == 0;
}

// Splitmix64 of the index.
static inline uint64_t scramble(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// In [-1, 1), 24 bits: exact as a float.
static inline double some_number(int64_t i)
{
    return (double)(scramble((uint64_t)i) >> 40) * 0x1p-23 - 1.0;
}

static inline sedge_array *vector_of(sedge_context *context, sedge_type type, int64_t size,
                                     const void *host)
{
    sedge_array *array = NULL;

    CHECK_OK(sedge_array_from(&array, context, type, 1, &size, host));
    return array;
}

static inline void *room(int64_t count, int64_t bytes)
{
    void *const memory = calloc((size_t)(count > 0 ? count : 1), (size_t)bytes);

    if (memory == NULL) abort();
    return memory;
}

static inline double number_of(sedge_array *array)
{
    double value = (double)NAN;

    CHECK_OK(sedge_array_number(array, &value));
    sedge_array_free(array);
    return value;
}

static inline int64_t integer_of(sedge_array *array)
{
    int64_t value = -1;

    CHECK_OK(sedge_array_integer(array, &value));
    sedge_array_free(array);
    return value;
}

static inline sedge_array *reduced(sedge_reduction reduction, const sedge_array *array)
{
    sedge_array *out = NULL;

    CHECK_OK(sedge_array_reduce(&out, reduction, sedge_use(array), SEDGE_ALL_AXES));
    return out;
}
