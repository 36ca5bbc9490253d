// Views: arrays that borrow their base's memory.
#include "array/strided.h"
#include "base/memory.h"

#include <string.h>

// A view of all of `base`, to be narrowed.
static sedge_status make_view(sedge_array **out, const sedge_array *base)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    **out = *base;
    (*out)->block = NULL;
    return SEDGE_OK;
}

static sedge_status check_dimension(const sedge_array *base, int dimension)
{
    if (dimension >= 0 && dimension < base->dimensions) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "dimension %d is outside 0..%d", dimension,
                      base->dimensions - 1);
}

static void move_first(sedge_array *view, int64_t elements)
{
    view->offset += elements * sedge_type_bytes(view->type);
}

// ---- parts -------------------------------------------------------------------------------------

// A number that counts from the end if negative, then brought into least..most.
static int64_t clip(int64_t number, int64_t size, int64_t least, int64_t most)
{
    if (number < 0) number = number < -size ? least : number + size;
    return number < least ? least : number > most ? most : number;
}

// First index and number of indices of start:stop:step, as Python counts them.
static int64_t count_slice(const sedge_slice *slice, int64_t size, int64_t *first)
{
    const bool up = slice->step > 0;
    const int64_t least = up ? 0 : -1;
    const int64_t most = up ? size : size - 1;
    const int64_t start = slice->start == SEDGE_SLICE_END ? (up ? least : most)
                                                          : clip(slice->start, size, least, most);
    const int64_t stop =
        slice->stop == SEDGE_SLICE_END ? (up ? most : least) : clip(slice->stop, size, least, most);

    *first = start;
    if (up) return stop > start ? (stop - start - 1) / slice->step + 1 : 0;
    return start > stop ? (start - stop - 1) / -slice->step + 1 : 0;
}

sedge_status sedge_array_slice(sedge_array **out, sedge_array *base, const sedge_slice *slices)
{
    *out = NULL;
    for (int d = 0; d < base->dimensions; d++) {
        if (slices[d].step == 0 || slices[d].step == INT64_MIN) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "a slice of dimension %d with step %lld", d,
                              (long long)slices[d].step);
        }
    }
    SEDGE_TRY(make_view(out, base));
    for (int d = 0; d < base->dimensions; d++) {
        int64_t first;
        const int64_t count = count_slice(&slices[d], base->shape[d], &first);
        (*out)->shape[d] = count;
        if (count > 0) move_first(*out, first * base->stride[d]);
        // The step of one element is never made, and may be too large to be counted.
        if (count > 1) (*out)->stride[d] = base->stride[d] * slices[d].step;
    }
    return SEDGE_OK;
}

sedge_status sedge_array_at(sedge_array **out, sedge_array *base, int dimension, int64_t index)
{
    *out = NULL;
    SEDGE_TRY(check_dimension(base, dimension));
    const int64_t size = base->shape[dimension];
    if (index < -size || index >= size) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "index %lld is outside dimension %d of size %lld",
                          (long long)index, dimension, (long long)size);
    }
    SEDGE_TRY(make_view(out, base));
    move_first(*out, (index < 0 ? index + size : index) * base->stride[dimension]);
    (*out)->dimensions--;
    for (int d = dimension; d < (*out)->dimensions; d++) {
        (*out)->shape[d] = base->shape[d + 1];
        (*out)->stride[d] = base->stride[d + 1];
    }
    return SEDGE_OK;
}

// ---- other shapes of the same elements ---------------------------------------------------------

sedge_status sedge_array_transpose(sedge_array **out, sedge_array *base, const int *order)
{
    bool taken[SEDGE_ARRAY_DIMENSIONS] = {false};

    *out = NULL;
    for (int d = 0; order != NULL && d < base->dimensions; d++) {
        SEDGE_TRY(check_dimension(base, order[d]));
        if (taken[order[d]]) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "dimension %d occurs twice in a transposition",
                              order[d]);
        }
        taken[order[d]] = true;
    }
    SEDGE_TRY(make_view(out, base));
    for (int d = 0; d < base->dimensions; d++) {
        const int from = order != NULL ? order[d] : base->dimensions - 1 - d;
        (*out)->shape[d] = base->shape[from];
        (*out)->stride[d] = base->stride[from];
    }
    return SEDGE_OK;
}

// The shape with its -1, if any, found from the number of elements.
static sedge_status complete_shape(int64_t full[SEDGE_ARRAY_DIMENSIONS], const sedge_array *base,
                                   int dimensions, const int64_t *shape)
{
    const int64_t size = sedge_array_size(base);
    int64_t known = 1;
    int open = -1;
    char own[SEDGE_SHAPE_TEXT];
    char requested[SEDGE_SHAPE_TEXT];

    for (int d = 0; d < dimensions; d++) {
        full[d] = shape[d];
        if (shape[d] == -1 && open < 0) {
            open = d;
            full[d] = 1;
        }
    }
    SEDGE_TRY(sedge_shape_check(dimensions, full, base->type));
    known = sedge_shape_count(dimensions, full);
    // If another size is 0, the open size is not determined.
    if (open >= 0 && known > 0 && size % known == 0) {
        full[open] = size / known;
        return SEDGE_OK;
    }
    if (open < 0 && known == size) return SEDGE_OK;
    sedge_shape_print(own, base->dimensions, base->shape);
    sedge_shape_print(requested, dimensions, shape);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "an array of shape %s cannot take the shape %s", own,
                      requested);
}

// Strides of the new shape: each run of old dimensions that lie one behind the other in memory is
// split into new ones. False where a new dimension would cross two runs.
static bool find_strides(sedge_array *view, const sedge_array *base)
{
    int64_t shape[SEDGE_ARRAY_DIMENSIONS];
    int64_t stride[SEDGE_ARRAY_DIMENSIONS];
    int runs = 0;

    for (int d = 0; d < base->dimensions; d++) {
        if (base->shape[d] == 1) continue;
        if (runs > 0 && stride[runs - 1] == base->stride[d] * base->shape[d]) {
            shape[runs - 1] *= base->shape[d];
            stride[runs - 1] = base->stride[d];
        } else {
            shape[runs] = base->shape[d];
            stride[runs++] = base->stride[d];
        }
    }
    int run = runs - 1;
    int64_t inside = 1; // of the run, in the new dimensions so far
    for (int d = view->dimensions - 1; d >= 0; d--) {
        if (run >= 0 && inside == shape[run] && view->shape[d] != 1) {
            run--;
            inside = 1;
        }
        view->stride[d] = run >= 0 ? stride[run] * inside : 1;
        if (view->shape[d] == 1) continue;
        if (run < 0 || shape[run] % (inside * view->shape[d]) != 0) return false;
        inside *= view->shape[d];
    }
    return true;
}

sedge_status sedge_array_reshape(sedge_array **out, sedge_array *base, int dimensions,
                                 const int64_t *shape)
{
    int64_t full[SEDGE_ARRAY_DIMENSIONS];
    sedge_status status;
    sedge_array *view = NULL;
    char own[SEDGE_SHAPE_TEXT];
    char requested[SEDGE_SHAPE_TEXT];

    *out = NULL;
    if (dimensions < 0 || dimensions > SEDGE_ARRAY_DIMENSIONS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "an array of %d dimensions: 0..%d are allowed",
                          dimensions, SEDGE_ARRAY_DIMENSIONS);
    }
    SEDGE_TRY(complete_shape(full, base, dimensions, shape));
    SEDGE_TRY(make_view(&view, base));
    view->dimensions = dimensions;
    memcpy(view->shape, full, (size_t)dimensions * sizeof *full);
    if (sedge_array_size(base) == 0) {
        for (int d = 0; d < dimensions; d++) view->stride[d] = 1;
    } else if (!find_strides(view, base)) {
        sedge_shape_print(own, base->dimensions, base->shape);
        sedge_shape_print(requested, dimensions, full);
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "a view of shape %s with its strides has no view of shape %s; copy it",
                            own, requested);
        goto done;
    }
    *out = view;
    return SEDGE_OK;
done:
    sedge_array_free(view);
    return status;
}

sedge_status sedge_array_broadcast(sedge_array **out, sedge_array *base, int dimensions,
                                   const int64_t *shape)
{
    const int more = dimensions - base->dimensions;
    bool fits = more >= 0;

    *out = NULL;
    SEDGE_TRY(sedge_shape_check(dimensions, shape, base->type));
    for (int d = 0; fits && d < base->dimensions; d++)
        if (base->shape[d] != shape[d + more] && base->shape[d] != 1) fits = false;
    if (!fits) {
        char own[SEDGE_SHAPE_TEXT];
        char requested[SEDGE_SHAPE_TEXT];
        sedge_shape_print(own, base->dimensions, base->shape);
        sedge_shape_print(requested, dimensions, shape);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "shape %s does not broadcast to %s", own, requested);
    }
    SEDGE_TRY(make_view(out, base));
    (*out)->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        const int own = d - more;
        (*out)->shape[d] = shape[d];
        (*out)->stride[d] = own >= 0 && base->shape[own] == shape[d] ? base->stride[own] : 0;
    }
    return SEDGE_OK;
}

// ---- complex numbers ---------------------------------------------------------------------------

static sedge_status make_part(sedge_array **out, const sedge_array *base, int part)
{
    *out = NULL;
    if (!sedge_type_is_complex(base->type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "an array of %s has no real and imaginary parts",
                          sedge_type_name(base->type));
    }
    SEDGE_TRY(make_view(out, base));
    (*out)->type = base->type == SEDGE_COMPLEX64 ? SEDGE_FLOAT32 : SEDGE_FLOAT64;
    for (int d = 0; d < base->dimensions; d++) (*out)->stride[d] = 2 * base->stride[d];
    move_first(*out, part);
    return SEDGE_OK;
}

sedge_status sedge_array_real_part(sedge_array **out, sedge_array *base)
{
    return make_part(out, base, 0);
}

sedge_status sedge_array_imaginary_part(sedge_array **out, sedge_array *base)
{
    return make_part(out, base, 1);
}
