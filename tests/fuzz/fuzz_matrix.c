// Any bytes as a matrix and as a right-hand side: Matrix Market, compressed or not, or PETSc's
// binary form.
#define _GNU_SOURCE // memfd_create
#include "fuzz_file.h"

#include "base/memory.h"
#include "linear/matrix.h"

#include <math.h>

enum { BYTES_MAX = 16384, VECTOR = 3 };

static void check_matrix(const sedge_matrix *matrix)
{
    sedge_matrix_symmetry symmetry;

    FUZZ_CHECK(matrix->size > 0 && matrix->rows == matrix->size && matrix->first == 0);
    FUZZ_CHECK(matrix->offsets[0] == 0);
    for (int64_t i = 0; i < matrix->rows; i++) {
        FUZZ_CHECK(matrix->offsets[i + 1] >= matrix->offsets[i]);
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1]; k++) {
            FUZZ_CHECK(matrix->columns[k] >= 0 && matrix->columns[k] < matrix->size);
            FUZZ_CHECK(k == matrix->offsets[i] || matrix->columns[k - 1] < matrix->columns[k]);
        }
    }
    FUZZ_CHECK(sedge_matrix_measure(&symmetry, matrix) == SEDGE_OK);
    FUZZ_CHECK(symmetry.row < matrix->size && symmetry.column < matrix->size);
}

static void read_matrix(const char *path)
{
    sedge_matrix *matrix = NULL;

    if (sedge_matrix_read(&matrix, path) == SEDGE_OK) {
        check_matrix(matrix);
    } else {
        FUZZ_CHECK(matrix == NULL);
        fuzz_check_message();
    }
    sedge_matrix_free(matrix);
}

static void read_vector(const char *path)
{
    double *values = NULL;
    double sum = 0.0;

    if (sedge_matrix_read_vector(&values, path, VECTOR) == SEDGE_OK) {
        for (int i = 0; i < VECTOR; i++) sum += values[i];
        FUZZ_CHECK(!isnan(sum));
    } else {
        fuzz_check_message();
    }
    sedge_release(values);
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    char path[64];

    if (size > BYTES_MAX) return 0;
    (void)fuzz_start_mpi();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fuzz_open(data, size));
    read_matrix(path);
    read_vector(path);
    return 0;
}
