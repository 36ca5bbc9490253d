// What tests of arrays share: a context on the device under test, arrays from lists.
#pragma once

#include "check.h"
#include "elementwise/copy.h"

#include <stdlib.h>

// On the device that SEDGE_TEST_DEVICE names, "host" without it.
static inline sedge_context *case_open(void)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");
    sedge_context *context = NULL;

    CHECK_OK(sedge_context_open(&context, kind != NULL ? kind : "host"));
    if (context == NULL) exit(1);
    return context;
}

static inline void case_close(sedge_context *context)
{
    CHECK(sedge_context_pool(context).active_bytes == 0); // each test frees what it makes
    sedge_context_free(context);
    sedge_device_stop_helper();
}

static inline sedge_array *case_array(sedge_context *context, sedge_type type, int dimensions,
                                      const int64_t *shape, const void *values)
{
    sedge_array *array = NULL;

    if (values != NULL) {
        CHECK_OK(sedge_array_from(&array, context, type, dimensions, shape, values));
    } else {
        CHECK_OK(sedge_array_create(&array, context, type, dimensions, shape));
    }
    if (array == NULL) exit(1);
    return array;
}

#define CASE_SHAPE(...) \
    (const int64_t[])   \
    {                   \
        __VA_ARGS__     \
    }
#define CASE_DIMENSIONS(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
// case_array of a shape in parentheses: CASE_ARRAY(context, SEDGE_FLOAT32, values, (2, 3))
#define CASE_ARRAY(context, type, values, shape) \
    case_array(context, type, CASE_DIMENSIONS shape, CASE_SHAPE shape, values)

// 0, 1, 2, ... in C order.
static inline sedge_array *case_count(sedge_context *context, sedge_type type, int dimensions,
                                      const int64_t *shape)
{
    sedge_array *const array = case_array(context, type, dimensions, shape, NULL);

    CHECK_OK(sedge_array_range(array, 0.0, 1.0));
    return array;
}
#define CASE_COUNT(context, type, shape) \
    case_count(context, type, CASE_DIMENSIONS shape, CASE_SHAPE shape)

static inline bool case_has_shape(const sedge_array *array, int dimensions, const int64_t *shape)
{
    if (sedge_array_dimensions(array) != dimensions) return false;
    for (int d = 0; d < dimensions; d++)
        if (sedge_array_shape(array)[d] != shape[d]) return false;
    return true;
}
#define CASE_HAS_SHAPE(array, shape) case_has_shape(array, CASE_DIMENSIONS shape, CASE_SHAPE shape)

// The array's values as float64, in C order; at most `room` of them.
static inline void case_values(const sedge_array *array, double *values, int64_t room)
{
    sedge_array *wide = NULL;

    CHECK(sedge_array_size(array) <= room);
    if (sedge_array_size(array) > room) exit(1);
    CHECK_OK(sedge_array_convert(&wide, array, SEDGE_FLOAT64));
    if (wide == NULL) exit(1);
    CHECK_OK(sedge_array_get(wide, values));
    sedge_array_free(wide);
}

// Whether the values are exactly these.
static inline bool case_equals(const sedge_array *array, int64_t count, const double *wanted)
{
    double values[4096];

    if (sedge_array_size(array) != count) return false;
    case_values(array, values, 4096);
    for (int64_t i = 0; i < count; i++) {
        if (values[i] == wanted[i] || (isnan(values[i]) && isnan(wanted[i]))) continue;
        (void)fprintf(stderr, "  value %lld is %.17g, not %.17g\n", (long long)i, values[i],
                      wanted[i]);
        return false;
    }
    return true;
}
#define CASE_EQUALS(array, ...)                                                     \
    case_equals(array, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
                (const double[]){__VA_ARGS__})
