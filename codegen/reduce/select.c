// Selection, gathering and scattering.
#include "reduce/select.h"

#include "array/pattern_program.h"
#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/copy.h"
#include "elementwise/elementwise.h"
#include "elementwise/expression.h"
#include "program/launch.h"
#include "reduce/reduce.h"

#include <string.h>

// Places in a block are counted in 16 bits, and its memory is less than 8 KiB.
enum { SELECT_THREADS = 256, SELECT_ITEMS = 8 };
enum { SELECT_TILE = SELECT_THREADS * SELECT_ITEMS };

static int64_t count_blocks(int64_t count)
{
    return (count + SELECT_TILE - 1) / SELECT_TILE;
}

// ---- programs ----------------------------------------------------------------------------------

static const char *unit_word(sedge_type type)
{
    switch (sedge_type_bytes(type)) {
    case 1:
        return "unsigned char";
    case 2:
        return "unsigned short";
    case 4:
        return "unsigned";
    case 8:
        return "sedge_uint64";
    default:
        return "sedge_complex128";
    }
}

enum { SELECT_VALUES = 7 };

static sedge_pattern_program describe(sedge_binding values[SELECT_VALUES],
                                      const sedge_select_shape *shape)
{
    static const char *const names[] = {"compress", "take", "put"};

    values[0] = SEDGE_BIND_INTEGER("compress", shape->what == SEDGE_SELECT_COMPRESS);
    values[1] = SEDGE_BIND_INTEGER("take", shape->what == SEDGE_SELECT_TAKE);
    values[2] = SEDGE_BIND_INTEGER("threads", SELECT_THREADS);
    values[3] = SEDGE_BIND_INTEGER("items", SELECT_ITEMS);
    values[4] = SEDGE_BIND_INTEGER("dimensions", shape->dimensions);
    values[5] = SEDGE_BIND_TEXT("unit", unit_word((sedge_type)shape->unit));
    values[6] = SEDGE_BIND_TEXT("index", sedge_type_word((sedge_type)shape->index));
    return (sedge_pattern_program){.name = names[shape->what],
                                   .types = {.name = "codegen/kernels/reduce/select_types.h",
                                             .bindings = values,
                                             .count = SELECT_VALUES},
                                   .before = "codegen/kernels/array/numbers.h",
                                   .kernels = "codegen/kernels/reduce/select.h"};
}

sedge_status sedge_select_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_select_shape *shape)
{
    sedge_binding values[SELECT_VALUES];
    const sedge_pattern_program made = describe(values, shape);

    return sedge_pattern_program_write(out, kind, &made);
}

static sedge_status make_kernel(sedge_cached_kernel *cached, sedge_context *context,
                                const sedge_select_shape *shape)
{
    sedge_binding values[SELECT_VALUES];
    const sedge_pattern_program made = describe(values, shape);
    const bool compress = shape->what == SEDGE_SELECT_COMPRESS;
    const sedge_program *program;

    SEDGE_TRY(sedge_pattern_program_get(&program, context, &made));
    SEDGE_TRY(sedge_program_get(&cached->kernel[0], program,
                                compress ? "sedge_select_count" : "sedge_select"));
    if (!compress) return SEDGE_OK;
    return sedge_program_get(&cached->kernel[1], program, "sedge_select_write");
}

static sedge_status get_kernel(const sedge_cached_kernel **out, sedge_context *context,
                               const sedge_select_shape *shape)
{
    static const char tag[6] = {'s', 'e', 'l', 'e', 'c', 't'};
    unsigned char key[sizeof tag + sizeof *shape];

    memcpy(key, tag, sizeof tag);
    memcpy(key + sizeof tag, shape, sizeof *shape);
    *out = sedge_cached_kernel_find(sedge_context_kernels(context), key, (int)sizeof key);
    if (*out != NULL) return SEDGE_OK;

    sedge_cached_kernel cached = {.threads = SELECT_THREADS, .items = SELECT_TILE};
    SEDGE_TRY(make_kernel(&cached, context, shape));
    return sedge_cached_kernel_keep(out, sedge_context_kernels(context), key, (int)sizeof key,
                                    &cached);
}

// `array` itself, or a contiguous copy that `*owned` gets.
static sedge_status straighten(const sedge_array **out, sedge_array **owned,
                               const sedge_array *array)
{
    *owned = NULL;
    *out = array;
    if (sedge_array_is_contiguous(array)) return SEDGE_OK;
    SEDGE_TRY(sedge_array_convert(owned, array, array->type));
    *out = *owned;
    return SEDGE_OK;
}

static sedge_status check_integer(const char *what, const char *name, const sedge_array *array,
                                  const sedge_array *integers)
{
    if (integers->context != array->context) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the array and its %s are of different contexts",
                          what, name);
    }
    if (!sedge_type_is_integer(integers->type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the %s are %s; an integer type is needed", what,
                          name, sedge_type_name(integers->type));
    }
    return SEDGE_OK;
}

// Element `place` of a contiguous array, as a view of no dimensions.
static sedge_array element_of(const sedge_array *array, int64_t place)
{
    sedge_array one = *array;

    one.block = NULL;
    one.dimensions = 0;
    one.offset += place * sedge_type_bytes(array->type);
    return one;
}

// ---- compress ----------------------------------------------------------------------------------

// Contiguous array and mask of the same size, which is not 0.
static sedge_status compress(sedge_array **out, const sedge_array *array, const sedge_array *mask)
{
    const sedge_select_shape shape = {
        .what = SEDGE_SELECT_COMPRESS, .unit = (int)array->type, .index = (int)mask->type};
    const int64_t size = sedge_array_size(array), blocks = count_blocks(size);
    sedge_stream *const stream = sedge_context_stream(array->context);
    const sedge_cached_kernel *cached;
    sedge_array *counts = NULL, *ends = NULL, *to = NULL;
    sedge_status status;
    int64_t total = 0;

    SEDGE_TRY(get_kernel(&cached, array->context, &shape));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&counts, array->context, SEDGE_INT64, blocks));
    SEDGE_TRY_GOTO(status, SEDGE_LAUNCH(cached->kernel[0], stream, blocks,
                                        sedge_address_argument(sedge_array_address(mask)),
                                        sedge_address_argument(sedge_array_address(counts)),
                                        sedge_int64_argument(size)));
    SEDGE_TRY_GOTO(status, sedge_array_scan(&ends, counts, SEDGE_SCAN_SUM, false, NULL));
    const sedge_array last = element_of(ends, blocks - 1);
    SEDGE_TRY_GOTO(status, sedge_array_get(&last, &total));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&to, array->context, array->type, total));
    SEDGE_TRY_GOTO(status, SEDGE_LAUNCH(cached->kernel[1], stream, blocks,
                                        sedge_address_argument(sedge_array_address(array)),
                                        sedge_address_argument(sedge_array_address(mask)),
                                        sedge_address_argument(sedge_array_address(ends)),
                                        sedge_address_argument(sedge_array_address(to)),
                                        sedge_int64_argument(size)));
    *out = to;
    to = NULL;
done:
    sedge_array_free(to);
    sedge_array_free(ends);
    sedge_array_free(counts);
    return status;
}

sedge_status sedge_array_compress(sedge_array **out, const sedge_array *array,
                                  const sedge_array *mask)
{
    sedge_status status;
    sedge_array *own_array = NULL, *own_mask = NULL;
    char shapes[2][SEDGE_SHAPE_TEXT];

    *out = NULL;
    SEDGE_TRY(check_integer("compress", "mask's values", array, mask));
    bool same = array->dimensions == mask->dimensions;
    for (int d = 0; d < array->dimensions && same; d++) same = array->shape[d] == mask->shape[d];
    if (!same) {
        sedge_shape_print(shapes[0], mask->dimensions, mask->shape);
        sedge_shape_print(shapes[1], array->dimensions, array->shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "compress: a mask of shape %s for an array of shape %s",
                          shapes[0], shapes[1]);
    }
    if (sedge_array_size(array) == 0)
        return sedge_array_vector(out, array->context, array->type, 0);
    SEDGE_TRY_GOTO(status, straighten(&array, &own_array, array));
    SEDGE_TRY_GOTO(status, straighten(&mask, &own_mask, mask));
    SEDGE_TRY_GOTO(status, compress(out, array, mask));
done:
    sedge_array_free(own_mask);
    sedge_array_free(own_array);
    return status;
}

// ---- indices -----------------------------------------------------------------------------------

// The first place of an index outside -elements .. elements - 1, or INT64_MAX. Waits.
static sedge_status find_outside(int64_t *place, const sedge_array *indices, int64_t elements)
{
    const sedge_reduction_text first = {.name = "bounds of indices",
                                        .map = "x != 0 ? i : 0x7fffffffffffffff",
                                        .combine = "a < b ? a : b",
                                        .neutral = "0x7fffffffffffffff",
                                        .type = SEDGE_INT64};
    sedge_expression *outside;
    sedge_array *number = NULL;

    if (indices->type == SEDGE_UINT64) {
        outside = sedge_greater_equal(sedge_use(indices), sedge_integer(elements));
    } else {
        outside = sedge_or(
            sedge_less(sedge_convert(sedge_use(indices), SEDGE_INT64), sedge_integer(-elements)),
            sedge_greater_equal(sedge_convert(sedge_use(indices), SEDGE_INT64),
                                sedge_integer(elements)));
    }
    SEDGE_TRY(sedge_array_reduce_text(&number, &first, outside));
    const sedge_status status = sedge_array_integer(number, place);
    sedge_array_free(number);
    return status;
}

// Contiguous indices.
static sedge_status check_indices(const char *what, const sedge_array *indices, int64_t elements)
{
    int64_t place, index = 0;

    SEDGE_TRY(find_outside(&place, indices, elements));
    if (place == INT64_MAX) return SEDGE_OK;
    const sedge_array one = element_of(indices, place);
    if (indices->type == SEDGE_UINT64) {
        SEDGE_TRY(sedge_array_get(&one, &index));
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: index %llu at place %lld is outside an array of %lld elements", what,
                          (unsigned long long)index, (long long)place, (long long)elements);
    }
    SEDGE_TRY(sedge_array_integer(&one, &index));
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: index %lld at place %lld is outside an array of %lld elements", what,
                      (long long)index, (long long)place, (long long)elements);
}

// take: from the strided `array` to the contiguous `other`; put: the other way round.
static sedge_status move(sedge_select_what what, const sedge_array *array,
                         const sedge_array *indices, const sedge_array *other)
{
    sedge_select_shape shape = {.what = (int)what,
                                .unit = (int)array->type,
                                .index = (int)indices->type,
                                .dimensions =
                                    sedge_array_is_contiguous(array) ? 0 : array->dimensions};
    const bool take = what == SEDGE_SELECT_TAKE;
    const int64_t count = sedge_array_size(indices);
    const sedge_cached_kernel *cached;
    sedge_argument arguments[5 + 2 * SEDGE_ARRAY_DIMENSIONS] = {
        sedge_address_argument(sedge_array_address(take ? array : other)),
        sedge_address_argument(sedge_array_address(indices)),
        sedge_address_argument(sedge_array_address(take ? other : array)),
        sedge_int64_argument(count), sedge_int64_argument(sedge_array_size(array))};
    int arguments_count = 5;

    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(get_kernel(&cached, array->context, &shape));
    for (int d = 0; d < shape.dimensions; d++) {
        arguments[arguments_count++] = sedge_int64_argument(array->shape[d]);
        arguments[arguments_count++] = sedge_int64_argument(array->stride[d]);
    }
    return sedge_launch(cached->kernel[0], sedge_context_stream(array->context),
                        count_blocks(count), arguments, arguments_count);
}

sedge_status sedge_array_take(sedge_array **out, const sedge_array *array,
                              const sedge_array *indices)
{
    sedge_status status;
    sedge_array *own_indices = NULL, *to = NULL;

    *out = NULL;
    SEDGE_TRY(check_integer("take", "indices", array, indices));
    SEDGE_TRY_GOTO(status, straighten(&indices, &own_indices, indices));
    SEDGE_TRY_GOTO(status, check_indices("take", indices, sedge_array_size(array)));
    SEDGE_TRY_GOTO(status, sedge_array_create(&to, array->context, array->type, indices->dimensions,
                                              indices->shape));
    SEDGE_TRY_GOTO(status, move(SEDGE_SELECT_TAKE, array, indices, to));
    *out = to;
    to = NULL;
done:
    sedge_array_free(to);
    sedge_array_free(own_indices);
    return status;
}

sedge_status sedge_array_put(sedge_array *array, const sedge_array *indices,
                             const sedge_array *values)
{
    sedge_status status;
    sedge_array *own_indices = NULL, *spread = NULL;

    SEDGE_TRY(check_integer("put", "indices", array, indices));
    SEDGE_TRY(sedge_target_check(array, array->dimensions, array->shape));
    if (array->buffer == indices->buffer) { // checked indices must not be written over
        SEDGE_TRY_GOTO(status, sedge_array_convert(&own_indices, indices, indices->type));
        indices = own_indices;
    } else {
        SEDGE_TRY_GOTO(status, straighten(&indices, &own_indices, indices));
    }
    // Before anything is written: values of the array's type, one an index.
    SEDGE_TRY_GOTO(status, sedge_array_create(&spread, array->context, array->type,
                                              indices->dimensions, indices->shape));
    SEDGE_TRY_GOTO(status, sedge_array_copy(spread, values));
    SEDGE_TRY_GOTO(status, check_indices("put", indices, sedge_array_size(array)));
    SEDGE_TRY_GOTO(status, move(SEDGE_SELECT_PUT, array, indices, spread));
done:
    sedge_array_free(spread);
    sedge_array_free(own_indices);
    return status;
}
