#include "linear/matrix.h"

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

// scale[i]^2 is a_ii where it is positive, as it must be, else the largest entry of row and column.
static void find_scales(double *scale, const sedge_matrix *whole)
{
    for (int64_t i = 0; i < whole->rows; i++) { // negative: a diagonal entry
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++)
            if (whole->columns[k] == i && whole->values[k] > 0.0) scale[i] = -whole->values[k];
    }
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++) {
            const int64_t j = whole->columns[k];
            const double size = fabs(whole->values[k]);
            if (scale[i] >= 0.0) scale[i] = fmax(scale[i], size);
            if (scale[j] >= 0.0) scale[j] = fmax(scale[j], size);
        }
    }
    for (int64_t i = 0; i < whole->rows; i++) scale[i] = sqrt(fabs(scale[i]));
}

static void look_at(sedge_matrix_symmetry *out, const double *scale, int64_t row, int64_t column,
                    double here, double there)
{
    const double difference = fabs(here - there);
    const double size = fmax(scale[row] * scale[column], fmax(fabs(here), fabs(there)));

    if (difference > 0.0 && difference / size > out->ratio) {
        out->ratio = difference / size;
        out->difference = difference;
        out->row = row;
        out->column = column;
    }
    if (here != -there) out->is_skew = false;
}

// Rows are gone through in order, so the entries (j, i) that belong to a row's (i, j) come in
// order, too: `next` is each row's first that has not had its turn. What lies before the partner's
// place, and what is left at the end, has none.
sedge_status sedge_matrix_measure(sedge_matrix_symmetry *out, const sedge_matrix *whole)
{
    sedge_status status;
    int64_t *next = NULL;
    double *scale = NULL;

    *out = (sedge_matrix_symmetry){.is_skew = whole->offsets[whole->rows] > 0};
    SEDGE_TRY_GOTO(status, sedge_allocate(&next, whole->rows, sizeof *next));
    SEDGE_TRY_GOTO(status, sedge_allocate(&scale, whole->rows, sizeof *scale));
    find_scales(scale, whole);
    memcpy(next, whole->offsets, (size_t)whole->rows * sizeof *next);
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++) {
            const int64_t j = whole->columns[k];
            const int64_t end = whole->offsets[j + 1];
            double there = 0.0;
            while (next[j] < end && whole->columns[next[j]] < i) {
                look_at(out, scale, j, whole->columns[next[j]], whole->values[next[j]], 0.0);
                next[j]++;
            }
            if (next[j] < end && whole->columns[next[j]] == i) there = whole->values[next[j]++];
            look_at(out, scale, i, j, whole->values[k], there);
        }
    }
done:
    sedge_release(next);
    sedge_release(scale);
    return status;
}
