
#include "array/strided.h"
#include "array/shared.h"
#include "base/memory.h"

#include <stdio.h>

// ---- shapes ------------------------------------------------------------------------------------

void sedge_shape_print(char text[SEDGE_SHAPE_TEXT], int dimensions, const int64_t *shape)
{
    int used = snprintf(text, SEDGE_SHAPE_TEXT, "(");

    for (int d = 0; d < dimensions; d++) {
        used += snprintf(text + used, (size_t)(SEDGE_SHAPE_TEXT - used), "%s%lld",
                         d > 0 ? ", " : "", (long long)shape[d]);
    }
    (void)snprintf(text + used, (size_t)(SEDGE_SHAPE_TEXT - used), dimensions == 1 ? ",)" : ")");
}

int64_t sedge_shape_count(int dimensions, const int64_t *shape)
{
    int64_t count = 1;

    for (int d = 0; d < dimensions; d++) count *= shape[d];
    return count;
}

sedge_status sedge_shape_check(int dimensions, const int64_t *shape, sedge_type type)
{
    const int64_t most = INT64_MAX / sedge_type_bytes(type);
    int64_t count = 1;

    if (dimensions < 0 || dimensions > SEDGE_ARRAY_DIMENSIONS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "an array of %d dimensions: 0..%d are allowed",
                          dimensions, SEDGE_ARRAY_DIMENSIONS);
    }
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] < 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "size %lld of dimension %d is negative",
                              (long long)shape[d], d);
        }
    }
    // A size of 0 does not count, as in numpy: strides are products of the others.
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] == 0) continue;
        if (shape[d] > most / count) {
            char text[SEDGE_SHAPE_TEXT];
            sedge_shape_print(text, dimensions, shape);
            return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory: an array of shape %s is too large",
                              text);
        }
        count *= shape[d];
    }
    return SEDGE_OK;
}

static void set_c_order(sedge_array *array)
{
    int64_t stride = 1;

    for (int d = array->dimensions - 1; d >= 0; d--) {
        array->stride[d] = stride;
        stride *= array->shape[d];
    }
}

// ---- making ------------------------------------------------------------------------------------

// An array in C order without memory. The shape has been checked.
static sedge_status make_header(sedge_array **out, sedge_context *context, sedge_type type,
                                int dimensions, const int64_t *shape)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    (*out)->context = context;
    (*out)->type = type;
    (*out)->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) (*out)->shape[d] = shape[d];
    set_c_order(*out);
    return SEDGE_OK;
}

sedge_status sedge_array_create(sedge_array **out, sedge_context *context, sedge_type type,
                                int dimensions, const int64_t *shape)
{
    sedge_status status;
    sedge_array *array = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_shape_check(dimensions, shape, type));
    SEDGE_TRY(make_header(&array, context, type, dimensions, shape));
    const int64_t bytes = sedge_shape_count(dimensions, shape) * sedge_type_bytes(type);
    if (bytes > 0) {
        SEDGE_TRY_GOTO(status, sedge_pool_take(sedge_context_memory(context), bytes, &array->block,
                                               &array->buffer));
    }
    *out = array;
    return SEDGE_OK;
done:
    sedge_release(array);
    return status;
}

sedge_status sedge_array_vector(sedge_array **out, sedge_context *context, sedge_type type,
                                int64_t size)
{
    return sedge_array_create(out, context, type, 1, &size);
}

sedge_status sedge_array_wrap(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, sedge_buffer *buffer,
                              int64_t offset)
{
    const int64_t size = sedge_type_bytes(type);

    *out = NULL;
    SEDGE_TRY(sedge_shape_check(dimensions, shape, type));
    const int64_t bytes = sedge_shape_count(dimensions, shape) * size;
    const int64_t room = sedge_buffer_bytes(buffer);
    if (offset < 0 || offset > room || bytes > room - offset) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "an array of %lld bytes at offset %lld does not lie in a buffer of %lld "
                          "bytes",
                          (long long)bytes, (long long)offset, (long long)room);
    }
    if (offset % size != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "offset %lld is no multiple of the %lld bytes of %s",
                          (long long)offset, (long long)size, sedge_type_name(type));
    }
    SEDGE_TRY(make_header(out, context, type, dimensions, shape));
    if (bytes > 0) (*out)->buffer = buffer;
    (*out)->offset = offset;
    return SEDGE_OK;
}

void sedge_array_free(sedge_array *array)
{
    if (array == NULL) return;
    sedge_pool_give(sedge_context_memory(array->context), array->block);
    sedge_release(array);
}

// ---- what it is --------------------------------------------------------------------------------

sedge_type sedge_array_type(const sedge_array *array)
{
    return array->type;
}

int sedge_array_dimensions(const sedge_array *array)
{
    return array->dimensions;
}

const int64_t *sedge_array_shape(const sedge_array *array)
{
    return array->shape;
}

const int64_t *sedge_array_stride(const sedge_array *array)
{
    return array->stride;
}

int64_t sedge_array_size(const sedge_array *array)
{
    return sedge_shape_count(array->dimensions, array->shape);
}

bool sedge_array_is_contiguous(const sedge_array *array)
{
    int64_t stride = 1;

    if (sedge_array_size(array) == 0) return true;
    for (int d = array->dimensions - 1; d >= 0; d--) {
        if (array->shape[d] != 1 && array->stride[d] != stride) return false;
        stride *= array->shape[d];
    }
    return true;
}

sedge_context *sedge_array_context(const sedge_array *array)
{
    return array->context;
}

uint64_t sedge_array_address(const sedge_array *array)
{
    if (array->buffer == NULL) return 0;
    return sedge_buffer_address(array->buffer) + (uint64_t)array->offset;
}
