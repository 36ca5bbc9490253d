// How one slice's columns are told in few bytes: on diagonals, in 8, 16 or 32 bits.
#include "sparse/sparse_slice.h"

#include <string.h>

// ---- diagonals ---------------------------------------------------------------------------------

// Row r has an entry on the diagonal with this offset. Diagonals ascend; one that the row has
// already gets a second place, for entries that repeat. False: there are too many.
static bool add_diagonal(sedge_sparse_slice *slice, int *count, int most, int *at, int64_t offset,
                         int r)
{
    const uint32_t bit = (uint32_t)1 << r;
    int d = *at;

    if (d > 0 && slice->offset[d - 1] > offset) d = 0; // columns do not ascend
    while (d < *count && (slice->offset[d] < offset ||
                          (slice->offset[d] == offset && (slice->mask[d] & bit) != 0)))
        d++;
    *at = d;
    if (d < *count && slice->offset[d] == offset) {
        slice->mask[d] |= bit;
        return true;
    }
    if (*count == most) return false;
    memmove(slice->offset + d + 1, slice->offset + d, (size_t)(*count - d) * sizeof *slice->offset);
    memmove(slice->mask + d + 1, slice->mask + d, (size_t)(*count - d) * sizeof *slice->mask);
    slice->offset[d] = (int32_t)offset;
    slice->mask[d] = bit;
    ++*count;
    return true;
}

// At most `most` diagonals; -1: there are more.
static int find_diagonals(sedge_sparse_slice *slice, int most)
{
    const sedge_sparse_matrix *const matrix = slice->matrix;
    int count = 0;

    for (int r = 0; r < slice->height; r++) {
        int at = 0;
        if (slice->row[r] < 0) continue;
        const int64_t begin = sedge_sparse_begin(matrix, slice->row[r]);
        const int64_t end = begin + sedge_sparse_length(matrix, slice->row[r]);
        for (int64_t k = begin; k < end; k++) {
            const int64_t offset = sedge_csr_column(&matrix->csr, k) - (slice->first + r);
            if (!add_diagonal(slice, &count, most, &at, offset, r)) return -1;
        }
    }
    return count;
}

// ---- narrow indices ----------------------------------------------------------------------------

// The most by which columns at one place of the rows differ.
static int64_t find_span(const sedge_sparse_slice *slice)
{
    const sedge_csr *const csr = &slice->matrix->csr;
    int64_t span = 0;

    for (int k = 0; k < slice->width; k++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int r = 0; r < slice->height; r++) {
            if (slice->row[r] < 0 || sedge_sparse_length(slice->matrix, slice->row[r]) <= k)
                continue;
            const int64_t c =
                sedge_csr_column(csr, sedge_sparse_begin(slice->matrix, slice->row[r]) + k);
            if (c < low) low = c;
            if (c > high) high = c;
        }
        if (high - low > span) span = high - low;
    }
    return span;
}

int64_t sedge_sparse_slice_words(int mode, int64_t width, int height)
{
    const int64_t each[] = {4, 2, 1};

    if (mode == 3) return 2 * width;
    if (mode == 0) return (width * height + 1) / 2 * 2;
    return (width + (width * height * each[mode] + 3) / 4 + 1) / 2 * 2;
}

// The mode that takes the fewest bytes. Diagonals may take more places than the longest row has, as
// long as that is fewer bytes; where they take as many, there is nothing to compare with.
static int choose_mode(sedge_sparse_slice *slice)
{
    const int64_t longest = slice->width, height = slice->height;
    const int64_t value = slice->matrix->value_bytes;

    if (longest <= SEDGE_SPARSE_DIAGONALS && find_diagonals(slice, slice->width) >= 0) return 3;
    const int64_t span = find_span(slice);
    const int mode = span < 255 ? 2 : span < 65535 ? 1 : 0;
    const int64_t words = sedge_sparse_slice_words(mode, longest, slice->height);
    const int64_t most = (longest * height * value + 4 * words) / (height * value + 8);
    if (most <= longest) return mode;
    const int count =
        find_diagonals(slice, most < SEDGE_SPARSE_DIAGONALS ? (int)most : SEDGE_SPARSE_DIAGONALS);
    return count < 0 ? mode : 3;
}

void sedge_sparse_slice_plan(sedge_sparse_slice *slice, const sedge_sparse_matrix *matrix,
                             const int32_t *order, int64_t first, int height, int mode)
{
    int64_t longest = 0;

    slice->matrix = matrix;
    slice->height = height;
    slice->first = first;
    for (int r = 0; r < height; r++) {
        const bool is_there = first + r < matrix->rows;
        slice->row[r] = !is_there ? -1 : order != NULL ? order[first + r] : first + r;
        const int64_t length = is_there ? sedge_sparse_length(matrix, slice->row[r]) : 0;
        if (length > longest) longest = length;
    }
    slice->width = (int)longest;
    slice->mode = mode < 0 ? choose_mode(slice) : mode;
    if (slice->mode == 3) slice->width = find_diagonals(slice, SEDGE_SPARSE_DIAGONALS);
    slice->words = sedge_sparse_slice_words(slice->mode, slice->width, height);
}

void sedge_sparse_slice_widen(sedge_sparse_slice *slice, int width)
{
    for (int d = slice->width; slice->mode == 3 && d < width; d++) {
        slice->offset[d] = 0;
        slice->mask[d] = 0;
    }
    slice->width = width;
    slice->words = sedge_sparse_slice_words(slice->mode, width, slice->height);
}

// ---- writing -----------------------------------------------------------------------------------

static void write_diagonals(const sedge_sparse_slice *slice, void *values, int32_t *codes)
{
    const sedge_csr *const csr = &slice->matrix->csr;
    uint32_t left[SEDGE_SPARSE_DIAGONALS] = {0};

    for (int d = 0; d < slice->width; d++) {
        left[d] = slice->mask[d];
        if (codes == NULL) continue;
        codes[2 * (int64_t)d] = slice->offset[d];
        memcpy(&codes[2 * (int64_t)d + 1], &slice->mask[d], sizeof *slice->mask);
    }
    for (int r = 0; r < slice->height; r++) {
        int d = 0;
        if (slice->row[r] < 0) continue;
        const int64_t begin = sedge_sparse_begin(slice->matrix, slice->row[r]);
        const int64_t end = begin + sedge_sparse_length(slice->matrix, slice->row[r]);
        for (int64_t k = begin; k < end; k++) {
            const int64_t offset = sedge_csr_column(csr, k) - (slice->first + r);
            const uint32_t bit = (uint32_t)1 << r;
            if (d > 0 && slice->offset[d - 1] > offset) d = 0;
            while (slice->offset[d] != offset || (left[d] & bit) == 0) d++;
            left[d] &= ~bit;
            sedge_sparse_set(values, (int64_t)d * slice->height + r, sedge_csr_value(csr, k),
                             slice->matrix->value_bytes);
        }
    }
}

// Place k of the rows: the least column, then what each row's is beyond it.
static void write_place(const sedge_sparse_slice *slice, int k, void *values, int32_t *codes)
{
    const sedge_csr *const csr = &slice->matrix->csr;
    int32_t column[SEDGE_SPARSE_HEIGHT];
    int32_t low = INT32_MAX;

    for (int r = 0; r < slice->height; r++) {
        column[r] = -1;
        if (slice->row[r] < 0 || sedge_sparse_length(slice->matrix, slice->row[r]) <= k) continue;
        const int64_t from = sedge_sparse_begin(slice->matrix, slice->row[r]) + k;
        column[r] = sedge_csr_column(csr, from);
        if (column[r] < low) low = column[r];
        sedge_sparse_set(values, (int64_t)k * slice->height + r, sedge_csr_value(csr, from),
                         slice->matrix->value_bytes);
    }
    for (int r = 0; r < slice->height; r++) {
        const int64_t at = (int64_t)k * slice->height + r;
        if (slice->mode == 0) {
            codes[at] = column[r];
        } else if (slice->mode == 1) {
            ((uint16_t *)(codes + slice->width))[at] =
                (uint16_t)(column[r] < 0 ? 65535 : column[r] - low);
        } else {
            ((uint8_t *)(codes + slice->width))[at] =
                (uint8_t)(column[r] < 0 ? 255 : column[r] - low);
        }
    }
    if (slice->mode != 0) codes[k] = low < INT32_MAX ? low : 0;
}

void sedge_sparse_slice_write(const sedge_sparse_slice *slice, void *values, int32_t *codes)
{
    if (slice->mode == 3) {
        write_diagonals(slice, values, codes);
        return;
    }
    for (int k = 0; k < slice->width; k++) write_place(slice, k, values, codes);
}
