// Any bytes as a matrix and as a right-hand side: Matrix Market, compressed or not, or PETSc's
// binary form.
#define _GNU_SOURCE // memfd_create
#include "fuzz.h"

#include "base/memory.h"
#include "matrix/matrix.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_MAX = 16384, VECTOR = 3 };

static sedge_comm *world; // kept to the end: MPI can be started once only

static void end_mpi(void)
{
    sedge_comm_free(world);
}

// The readers take names of files, so the bytes lie in one without a place.
static int open_file(const uint8_t *data, size_t size)
{
    static int file = -1;

    if (file < 0) {
        static int count = 1;
        static char name[] = "fuzz";
        static char *words[] = {name, NULL};
        static char **argv = words;
        FUZZ_CHECK(sedge_comm_create(&world, &count, &argv) == SEDGE_OK);
        FUZZ_CHECK(atexit(end_mpi) == 0);
        FUZZ_CHECK(sedge_matrix_start() == SEDGE_OK);
        file = memfd_create("fuzz", MFD_CLOEXEC);
    }
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0);
    FUZZ_CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
    return file;
}

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
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", open_file(data, size));
    read_matrix(path);
    read_vector(path);
    return 0;
}
