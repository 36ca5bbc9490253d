// The caller's matrix: checked, counted, and which of its rows are stored.
#include "sparse/sparse_matrix.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

// ---- checks ------------------------------------------------------------------------------------

enum { GRAIN = 1 << 14, ROWS_MOST = INT32_MAX };

// What one pass over a range of rows finds, and adds to all under the lock.
typedef struct survey {
    const sedge_csr *csr;
    pthread_mutex_t lock;
    int64_t descends; // least row whose offsets descend; rows: none
    int64_t outside;  // least row with a column outside
    int64_t longest, empty, bandwidth;
    double square; // sum of squared lengths
} survey;

static int64_t column_at(const sedge_csr *csr, int64_t k)
{
    return csr->columns32 != NULL ? csr->columns32[k] : csr->columns64[k];
}

static void merge_survey(survey *all, const survey *own)
{
    (void)pthread_mutex_lock(&all->lock);
    if (own->descends < all->descends) all->descends = own->descends;
    if (own->outside < all->outside) all->outside = own->outside;
    if (own->longest > all->longest) all->longest = own->longest;
    if (own->bandwidth > all->bandwidth) all->bandwidth = own->bandwidth;
    all->empty += own->empty;
    all->square += own->square;
    (void)pthread_mutex_unlock(&all->lock);
}

static void survey_offsets(void *context, int64_t first, int64_t end)
{
    survey *const all = context;
    survey own = {.descends = all->csr->rows, .outside = all->csr->rows};

    for (int64_t r = first; r < end; r++) {
        const int64_t length = all->csr->offsets[r + 1] - all->csr->offsets[r];
        if (length < 0 && own.descends == all->csr->rows) own.descends = r;
        if (length > own.longest) own.longest = length;
        own.empty += length == 0;
        own.square += (double)length * (double)length;
    }
    merge_survey(all, &own);
}

static void survey_columns(void *context, int64_t first, int64_t end)
{
    survey *const all = context;
    const sedge_csr *const csr = all->csr;
    survey own = {.descends = csr->rows, .outside = csr->rows};

    for (int64_t r = first; r < end; r++) {
        for (int64_t k = csr->offsets[r]; k < csr->offsets[r + 1]; k++) {
            const int64_t c = column_at(csr, k);
            const int64_t far = c > r ? c - r : r - c;
            if ((c < 0 || c >= csr->columns) && own.outside == csr->rows) own.outside = r;
            if (far > own.bandwidth) own.bandwidth = far;
        }
    }
    merge_survey(all, &own);
}

static sedge_status fail_outside(const sedge_csr *csr, int64_t row)
{
    int64_t k = csr->offsets[row];

    while (column_at(csr, k) >= 0 && column_at(csr, k) < csr->columns) k++;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "sparse matrix: entry %lld, in row %lld, has column %lld, and there are "
                      "columns 0 to %lld",
                      (long long)k, (long long)row, (long long)column_at(csr, k),
                      (long long)csr->columns - 1);
}

static sedge_status check_sizes(const sedge_csr *csr)
{
    if (csr->rows < 0 || csr->rows > ROWS_MOST || csr->columns < 0 || csr->columns > ROWS_MOST) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "sparse matrix: %lld rows and %lld columns; each is 0 to %lld",
                          (long long)csr->rows, (long long)csr->columns, (long long)ROWS_MOST);
    }
    if (csr->rows > 0 && csr->offsets[0] < 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "sparse matrix: its first offset is %lld, below 0",
                          (long long)csr->offsets[0]);
    }
    if (csr->rows == 0 || csr->offsets[csr->rows] == csr->offsets[0]) return SEDGE_OK;
    if (csr->columns32 == NULL && csr->columns64 == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "sparse matrix: neither columns32 nor columns64 is there");
    }
    if (csr->values32 == NULL && csr->values64 == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DATA, "sparse matrix: neither values32 nor values64 is there");
    return SEDGE_OK;
}

static sedge_status take_survey(survey *all, int threads)
{
    const sedge_csr *const csr = all->csr;

    sedge_parallel(threads, csr->rows, GRAIN, survey_offsets, all);
    if (all->descends < csr->rows) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "sparse matrix: the offsets descend, from %lld to %lld at row %lld",
                          (long long)csr->offsets[all->descends],
                          (long long)csr->offsets[all->descends + 1], (long long)all->descends);
    }
    if (all->empty == csr->rows) return SEDGE_OK; // no column is looked at
    assert((csr->columns32 != NULL) != (csr->columns64 != NULL));
    assert((csr->values32 != NULL) != (csr->values64 != NULL));
    sedge_parallel(threads, csr->rows, GRAIN, survey_columns, all);
    if (all->outside < csr->rows) return fail_outside(csr, all->outside);
    return SEDGE_OK;
}

// A matrix of mostly empty rows is stored without them.
static sedge_status list_rows(sedge_sparse_matrix *matrix, int64_t empty)
{
    const sedge_csr *const csr = &matrix->csr;

    matrix->rows = csr->rows;
    if (empty <= csr->rows / 2) return SEDGE_OK;
    matrix->rows = 0;
    SEDGE_TRY(sedge_allocate(&matrix->listed, csr->rows - empty, sizeof *matrix->listed));
    for (int64_t r = 0; r < csr->rows; r++)
        if (csr->offsets[r + 1] > csr->offsets[r]) matrix->listed[matrix->rows++] = (int32_t)r;
    return SEDGE_OK;
}

sedge_status sedge_sparse_matrix_make(sedge_sparse_matrix *matrix, const sedge_csr *csr,
                                      int real_bytes, int value_bytes, int threads)
{
    survey all = {.csr = csr, .descends = csr->rows, .outside = csr->rows};

    memset(matrix, 0, sizeof *matrix);
    matrix->csr = *csr;
    matrix->real_bytes = real_bytes;
    matrix->value_bytes = value_bytes;
    matrix->threads = threads;
    SEDGE_TRY(check_sizes(csr));
    if (pthread_mutex_init(&all.lock, NULL) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "the system has no lock left");
    const sedge_status status = take_survey(&all, threads);
    (void)pthread_mutex_destroy(&all.lock);
    SEDGE_TRY(status);
    SEDGE_TRY(list_rows(matrix, all.empty));
    matrix->entries = csr->rows > 0 ? csr->offsets[csr->rows] - csr->offsets[0] : 0;
    matrix->longest = all.longest;
    matrix->empty = all.empty;
    matrix->bandwidth = all.bandwidth;
    if (matrix->rows > 0) {
        const double mean = (double)matrix->entries / (double)matrix->rows;
        matrix->deviation = sqrt(fmax(all.square / (double)matrix->rows - mean * mean, 0.0));
    }
    return SEDGE_OK;
}

void sedge_sparse_matrix_clear(sedge_sparse_matrix *matrix)
{
    sedge_release(matrix->listed);
    matrix->listed = NULL;
}

// ---- the slow reference ------------------------------------------------------------------------

typedef struct product {
    const sedge_csr *csr;
    double alpha, beta;
    const double *x;
    double *y, *bound;
} product;

static void multiply(void *context, int64_t first, int64_t end)
{
    const product *const p = context;

    for (int64_t r = first; r < end; r++) {
        const double old = p->beta != 0.0 ? p->beta * p->y[r] : 0.0;
        double sum = 0.0, size = 0.0;
        for (int64_t k = p->csr->offsets[r]; k < p->csr->offsets[r + 1]; k++) {
            const double term = sedge_csr_value(p->csr, k) * p->x[column_at(p->csr, k)];
            sum += term;
            size += fabs(term);
        }
        p->y[r] = p->alpha * sum + old;
        if (p->bound != NULL) p->bound[r] = fabs(p->alpha) * size + fabs(old);
    }
}

void sedge_csr_apply(const sedge_csr *csr, double alpha, const double *x, double beta, double *y,
                     double *bound, int threads)
{
    product p = {csr, alpha, beta, x, y, bound};

    sedge_parallel(threads, csr->rows, GRAIN, multiply, &p);
}
