// Matrices in another order of rows and columns, for the sake of x: numbers of x that are read
// together lie together. The kernels see the reordered matrix, and x gathered in its order.
#include "sparse/sparse_order.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

#define UNEVEN 0.1 // deviation of the rows' lengths, of their mean, that makes sorting worth it

enum { WINDOW = 256, GRAIN = 1 << 12, SHORT_ROW = 32 };

typedef struct reorder_job {
    const sedge_sparse_matrix *matrix;
    const int32_t *rows;  // [matrix->rows]: stored row at each place; NULL: as they come
    const int32_t *place; // [columns]
    const int64_t *offsets;
    int32_t *columns;
    void *values;
} reorder_job;

// ---- order of rows -----------------------------------------------------------------------------

typedef struct sort_job {
    const sedge_sparse_matrix *matrix;
    int64_t window;
    int32_t *order;
    int32_t *counts; // [lengths + 1], of one thread's
    bool failed;
} sort_job;

// One window, by counting.
static void sort_window(const sort_job *job, int32_t *counts, int64_t first, int64_t end)
{
    const sedge_sparse_matrix *const matrix = job->matrix;
    int64_t longest = 0; // of this window: one long row elsewhere costs nothing here

    for (int64_t r = first; r < end; r++) {
        const int64_t length = sedge_sparse_length(matrix, r);
        if (length > longest) longest = length;
    }
    memset(counts, 0, (size_t)(longest + 2) * sizeof *counts);
    for (int64_t r = first; r < end; r++) counts[longest - sedge_sparse_length(matrix, r) + 1]++;
    for (int64_t l = 0; l <= longest; l++) counts[l + 1] += counts[l];
    for (int64_t r = first; r < end; r++)
        job->order[first + counts[longest - sedge_sparse_length(matrix, r)]++] = (int32_t)r;
}

sedge_status sedge_sparse_sort(int32_t **order, const sedge_sparse_matrix *matrix, int64_t window)
{
    sort_job job = {.matrix = matrix};
    int32_t *counts = NULL;

    *order = NULL;
    SEDGE_TRY(sedge_allocate(&counts, matrix->longest + 2, sizeof *counts));
    const sedge_status status = sedge_allocate(&job.order, matrix->rows, sizeof *job.order);
    for (int64_t first = 0; status == SEDGE_OK && first < matrix->rows; first += window) {
        const int64_t end = first + window < matrix->rows ? first + window : matrix->rows;
        sort_window(&job, counts, first, end);
    }
    sedge_release(counts);
    *order = job.order;
    return status;
}

int64_t sedge_sparse_padded(const sedge_sparse_matrix *matrix, int height, int64_t window)
{
    int64_t stored = 0;
    int32_t *order = NULL;

    if (window > 1 && sedge_sparse_sort(&order, matrix, window) != SEDGE_OK) return INT64_MAX;
    for (int64_t first = 0; first < matrix->rows; first += height) {
        int64_t longest = 0;
        for (int64_t r = first; r < first + height && r < matrix->rows; r++) {
            const int64_t length = sedge_sparse_length(matrix, order != NULL ? order[r] : r);
            if (length > longest) longest = length;
        }
        stored += height * longest;
    }
    sedge_release(order);
    return stored;
}

// ---- orders ------------------------------------------------------------------------------------

// Breadth first from the first row not yet seen, along the entries of rows: rows = columns.
static sedge_status search_breadth(int32_t *order, const sedge_sparse_matrix *matrix)
{
    int8_t *seen = NULL;
    int64_t count = 0, next = 0;

    SEDGE_TRY(sedge_allocate(&seen, matrix->rows, 1));
    for (int64_t first = 0; first < matrix->rows; first++) {
        if (seen[first]) continue;
        seen[first] = 1;
        order[count++] = (int32_t)first;
        for (; next < count; next++) {
            const int64_t begin = sedge_sparse_begin(matrix, order[next]);
            const int64_t end = begin + sedge_sparse_length(matrix, order[next]);
            for (int64_t k = begin; k < end; k++) {
                const int32_t c = sedge_csr_column(&matrix->csr, k);
                if (seen[c]) continue;
                seen[c] = 1;
                order[count++] = c;
            }
        }
    }
    sedge_release(seen);
    return SEDGE_OK;
}

sedge_status sedge_sparse_sort_columns(int32_t *order, int32_t *counts,
                                       const sedge_sparse_matrix *matrix)
{
    const sedge_csr *const csr = &matrix->csr;
    const int64_t end = csr->offsets[csr->rows];
    int64_t *starts = NULL;
    int32_t most = 0;

    for (int64_t k = csr->offsets[0]; k < end; k++) {
        const int32_t c = sedge_csr_column(csr, k);
        if (++counts[c] > most) most = counts[c];
    }
    SEDGE_TRY(sedge_allocate(&starts, (int64_t)most + 2, sizeof *starts));
    for (int64_t c = 0; c < csr->columns; c++) starts[most - counts[c] + 1]++;
    for (int64_t n = 0; n <= most; n++) starts[n + 1] += starts[n];
    for (int64_t c = 0; c < csr->columns; c++) order[starts[most - counts[c]]++] = (int32_t)c;
    sedge_release(starts);
    return SEDGE_OK;
}

static sedge_status order_columns(int32_t *order, const sedge_sparse_matrix *matrix)
{
    int32_t *counts = NULL;

    SEDGE_TRY(sedge_allocate(&counts, matrix->csr.columns, sizeof *counts));
    const sedge_status status = sedge_sparse_sort_columns(order, counts, matrix);
    sedge_release(counts);
    return status;
}

// `rows` by length inside windows, longest first.
static sedge_status sort_windows(int32_t *rows, const sedge_sparse_matrix *matrix)
{
    int32_t sorted[WINDOW];
    int32_t *starts = NULL;

    SEDGE_TRY(sedge_allocate(&starts, matrix->longest + 2, sizeof *starts));
    for (int64_t first = 0; first < matrix->rows; first += WINDOW) {
        const int64_t left = matrix->rows - first, count = left < WINDOW ? left : WINDOW;
        int64_t longest = 0; // of this window
        for (int64_t r = 0; r < count; r++) {
            const int64_t length = sedge_sparse_length(matrix, rows[first + r]);
            if (length > longest) longest = length;
        }
        memset(starts, 0, (size_t)(longest + 2) * sizeof *starts);
        for (int64_t r = 0; r < count; r++)
            starts[longest - sedge_sparse_length(matrix, rows[first + r]) + 1]++;
        for (int64_t l = 0; l <= longest; l++) starts[l + 1] += starts[l];
        for (int64_t r = 0; r < count; r++) {
            const int32_t row = rows[first + r];
            sorted[starts[longest - sedge_sparse_length(matrix, row)]++] = row;
        }
        memcpy(rows + first, sorted, (size_t)count * sizeof *rows);
    }
    sedge_release(starts);
    return SEDGE_OK;
}

// ---- entries -----------------------------------------------------------------------------------

static void swap(const reorder_job *job, int64_t a, int64_t b)
{
    const int size = job->matrix->value_bytes;
    char value[8], *const values = job->values;
    const int32_t column = job->columns[a];

    job->columns[a] = job->columns[b];
    job->columns[b] = column;
    memcpy(value, values + a * size, (size_t)size);
    memcpy(values + a * size, values + b * size, (size_t)size);
    memcpy(values + b * size, value, (size_t)size);
}

// The heap's part below entry `top` of `count` from `first` on is in order; make it so with `top`.
static void sink(const reorder_job *job, int64_t first, int64_t top, int64_t count)
{
    for (int64_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && job->columns[first + child] < job->columns[first + child + 1])
            child++;
        if (job->columns[first + top] >= job->columns[first + child]) return;
        swap(job, first + top, first + child);
        top = child;
    }
}

// By column: short rows by insertion, long ones by a heap.
static void sort_row(const reorder_job *job, int64_t first, int64_t count)
{
    if (count <= SHORT_ROW) {
        for (int64_t k = first + 1; k < first + count; k++) {
            for (int64_t j = k; j > first && job->columns[j - 1] > job->columns[j]; j--)
                swap(job, j - 1, j);
        }
        return;
    }
    for (int64_t top = count / 2; top-- > 0;) sink(job, first, top, count);
    for (int64_t left = count; --left > 0;) {
        swap(job, first, first + left);
        sink(job, first, 0, left);
    }
}

static void write_rows(void *context, int64_t first, int64_t end)
{
    const reorder_job *const job = context;
    const sedge_csr *const csr = &job->matrix->csr;

    for (int64_t r = first; r < end; r++) {
        const int64_t from = sedge_sparse_begin(job->matrix, job->rows != NULL ? job->rows[r] : r);
        const int64_t to = job->offsets[r], count = job->offsets[r + 1] - to;
        for (int64_t k = 0; k < count; k++) {
            job->columns[to + k] = job->place[sedge_csr_column(csr, from + k)];
            sedge_sparse_set(job->values, to + k, sedge_csr_value(csr, from + k),
                             job->matrix->value_bytes);
        }
        sort_row(job, to, count);
    }
}

// ---- all ---------------------------------------------------------------------------------------

static sedge_status find_orders(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix,
                                sedge_sparse_order order)
{
    const double mean = (double)matrix->entries / (double)matrix->rows;
    const size_t bytes = (size_t)matrix->rows * sizeof *re->rows;

    SEDGE_TRY(sedge_allocate(&re->gather, matrix->csr.columns, sizeof *re->gather));
    if (order == SEDGE_SPARSE_BY_COUNT) return order_columns(re->gather, matrix);
    SEDGE_TRY(search_breadth(re->gather, matrix));
    SEDGE_TRY(sedge_allocate(&re->rows, matrix->rows, sizeof *re->rows));
    memcpy(re->rows, re->gather, bytes);
    return matrix->deviation > UNEVEN * mean ? sort_windows(re->rows, matrix) : SEDGE_OK;
}

static sedge_status fill(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix)
{
    sedge_csr csr = {.rows = matrix->rows, .columns = matrix->csr.columns};
    int32_t *place = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&place, csr.columns, sizeof *place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&re->offsets, csr.rows + 1, sizeof *re->offsets));
    SEDGE_TRY_GOTO(status, sedge_allocate(&re->columns, matrix->entries, sizeof *re->columns));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&re->values, matrix->entries, (size_t)matrix->value_bytes));
    for (int64_t i = 0; i < csr.columns; i++) place[re->gather[i]] = (int32_t)i;
    for (int64_t r = 0; r < csr.rows; r++) {
        const int64_t from = re->rows != NULL ? re->rows[r] : r;
        re->offsets[r + 1] = re->offsets[r] + sedge_sparse_length(matrix, from);
    }
    reorder_job job = {matrix, re->rows, place, re->offsets, re->columns, re->values};
    sedge_parallel(matrix->threads, csr.rows, GRAIN, write_rows, &job);
    csr.offsets = re->offsets;
    csr.columns32 = re->columns;
    if (matrix->value_bytes == 8) {
        csr.values64 = re->values;
    } else {
        csr.values32 = re->values;
    }
    SEDGE_TRY_GOTO(status, sedge_sparse_matrix_make(&re->matrix, &csr, matrix->real_bytes,
                                                    matrix->value_bytes, matrix->threads));
    re->matrix.shift = matrix->shift;
    // From stored rows to rows of y.
    for (int64_t r = 0; re->rows != NULL && r < csr.rows; r++)
        re->rows[r] = (int32_t)sedge_sparse_row(matrix, re->rows[r]);
done:
    sedge_release(place);
    return status;
}

sedge_status sedge_sparse_reorder(sedge_sparse_reordered *re, const sedge_sparse_matrix *matrix,
                                  sedge_sparse_order order)
{
    memset(re, 0, sizeof *re);
    SEDGE_TRY(find_orders(re, matrix, order));
    return fill(re, matrix);
}

void sedge_sparse_reordered_clear(sedge_sparse_reordered *re)
{
    sedge_sparse_matrix_clear(&re->matrix);
    sedge_release(re->gather);
    sedge_release(re->rows);
    sedge_release(re->values);
    sedge_release(re->columns);
    sedge_release(re->offsets);
}
