#include "matrix/matrix.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

sedge_status sedge_matrix_create(sedge_matrix **out, int64_t size, int64_t first, int64_t rows,
                                 int64_t count)
{
    sedge_status status;
    sedge_matrix *matrix = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix, 1, sizeof *matrix));
    matrix->size = size;
    matrix->first = first;
    matrix->rows = rows;
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix->offsets, rows + 1, sizeof *matrix->offsets));
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix->columns, count, sizeof *matrix->columns));
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix->values, count, sizeof *matrix->values));
    *out = matrix;
    matrix = NULL;
done:
    sedge_matrix_free(matrix);
    return status;
}

void sedge_matrix_free(sedge_matrix *matrix)
{
    if (matrix == NULL) return;
    sedge_release(matrix->offsets);
    sedge_release(matrix->columns);
    sedge_release(matrix->values);
    sedge_release(matrix->original);
    sedge_release(matrix);
}

int64_t sedge_matrix_original(const sedge_matrix *matrix, int64_t row)
{
    return matrix->original != NULL ? matrix->original[row] : matrix->first + row;
}

// ---- symmetry ----------------------------------------------------------------------------------

static void look_at(sedge_matrix_symmetry *out, int64_t row, int64_t column, double here,
                    double there)
{
    const double difference = fabs(here - there);

    // Not-a-number on both sides is symmetric enough: the solver tells of it.
    if (difference > out->difference) {
        out->difference = difference;
        out->row = row;
        out->column = column;
    }
    out->largest = fmax(out->largest, fmax(fabs(here), fabs(there)));
    if (here != -there) out->is_skew = false;
}

// Rows are gone through in order, so the entries (j, i) that belong to a row's (i, j) come in
// order, too: `next` is each row's first that has not had its turn. What lies before the partner's
// place, and what is left at the end, has none.
sedge_status sedge_matrix_measure(sedge_matrix_symmetry *out, const sedge_matrix *whole)
{
    int64_t *next = NULL;

    *out = (sedge_matrix_symmetry){.is_skew = whole->offsets[whole->rows] > 0};
    SEDGE_TRY(sedge_allocate(&next, whole->rows, sizeof *next));
    memcpy(next, whole->offsets, (size_t)whole->rows * sizeof *next);
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++) {
            const int64_t j = whole->columns[k];
            const int64_t end = whole->offsets[j + 1];
            double there = 0.0;
            while (next[j] < end && whole->columns[next[j]] < i) {
                look_at(out, j, whole->columns[next[j]], whole->values[next[j]], 0.0);
                next[j]++;
            }
            if (next[j] < end && whole->columns[next[j]] == i) there = whole->values[next[j]++];
            look_at(out, i, j, whole->values[k], there);
        }
    }
    sedge_release(next);
    return SEDGE_OK;
}
