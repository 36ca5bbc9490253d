// Arrays to and from host memory, and from one array to another: what does not lie in one piece is
// copied by an elementwise kernel.
#include "elementwise/copy.h"
#include "array/strided.h"
#include "elementwise/expression.h"

// ---- between arrays ----------------------------------------------------------------------------

sedge_status sedge_array_copy(sedge_array *to, const sedge_array *from)
{
    return sedge_array_assign(to, sedge_use(from));
}

sedge_status sedge_array_convert(sedge_array **out, const sedge_array *from, sedge_type type)
{
    sedge_status status;
    sedge_array *array = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_array_create(&array, from->context, type, from->dimensions, from->shape));
    SEDGE_TRY_GOTO(status, sedge_array_assign(array, sedge_use(from)));
    *out = array;
    array = NULL;
done:
    sedge_array_free(array);
    return status;
}

// ---- host memory -------------------------------------------------------------------------------

static int64_t count_bytes(const sedge_array *array)
{
    return sedge_array_size(array) * sedge_type_bytes(array->type);
}

// Copies without a stream are not ordered after the work in one: wait for that first.
sedge_status sedge_array_set(sedge_array *array, const void *host)
{
    sedge_status status;
    sedge_array *staged = NULL;

    if (sedge_array_size(array) == 0) return SEDGE_OK;
    if (sedge_array_is_contiguous(array)) {
        SEDGE_TRY(sedge_context_wait(array->context));
        return sedge_buffer_upload(array->buffer, array->offset, host, count_bytes(array), NULL);
    }
    SEDGE_TRY(sedge_array_from(&staged, array->context, array->type, array->dimensions,
                               array->shape, host));
    SEDGE_TRY_GOTO(status, sedge_array_copy(array, staged));
    SEDGE_TRY_GOTO(status, sedge_context_wait(array->context));
done:
    sedge_array_free(staged);
    return status;
}

sedge_status sedge_array_get(const sedge_array *array, void *host)
{
    sedge_status status;
    sedge_array *staged = NULL;

    if (sedge_array_size(array) == 0) return SEDGE_OK;
    if (sedge_array_is_contiguous(array)) {
        SEDGE_TRY(sedge_context_wait(array->context));
        return sedge_buffer_download(array->buffer, array->offset, host, count_bytes(array), NULL);
    }
    SEDGE_TRY(sedge_array_convert(&staged, array, array->type));
    SEDGE_TRY_GOTO(status, sedge_array_get(staged, host));
done:
    sedge_array_free(staged);
    return status;
}

static sedge_status check_contiguous(const sedge_array *array, const char *what)
{
    char shape[SEDGE_SHAPE_TEXT];
    char stride[SEDGE_SHAPE_TEXT];

    if (sedge_array_is_contiguous(array)) return SEDGE_OK;
    sedge_shape_print(shape, array->dimensions, array->shape);
    sedge_shape_print(stride, array->dimensions, array->stride);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s takes contiguous arrays; this one has shape %s and strides %s", what,
                      shape, stride);
}

sedge_status sedge_array_set_async(sedge_array *array, const void *pinned, sedge_stream *stream)
{
    SEDGE_TRY(check_contiguous(array, "sedge_array_set_async"));
    if (sedge_array_size(array) == 0) return SEDGE_OK;
    return sedge_buffer_upload(array->buffer, array->offset, pinned, count_bytes(array),
                               stream != NULL ? stream : sedge_context_stream(array->context));
}

sedge_status sedge_array_get_async(const sedge_array *array, void *pinned, sedge_stream *stream)
{
    SEDGE_TRY(check_contiguous(array, "sedge_array_get_async"));
    if (sedge_array_size(array) == 0) return SEDGE_OK;
    return sedge_buffer_download(array->buffer, array->offset, pinned, count_bytes(array),
                                 stream != NULL ? stream : sedge_context_stream(array->context));
}

sedge_status sedge_array_from(sedge_array **out, sedge_context *context, sedge_type type,
                              int dimensions, const int64_t *shape, const void *host)
{
    sedge_status status;
    sedge_array *array = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_array_create(&array, context, type, dimensions, shape));
    SEDGE_TRY_GOTO(status, sedge_array_set(array, host));
    *out = array;
    array = NULL;
done:
    sedge_array_free(array);
    return status;
}
