// Diagonals and diagonal blocks of a spread matrix as preconditioners.
#include "linear/matrix_device.h"

#include "base/memory.h"
#include "linear/matrix_internal.h"
#include "program/launch.h"

#include <stdio.h>

#define BLOCK_MOST 64

struct sedge_jacobi {
    int block;
    int64_t rows;
    sedge_buffer *values;       // [rows], or [rows][block]
    const sedge_kernel *kernel; // NULL: a diagonal
    double bytes;
};

// Invert the symmetric positive definite a [size][size] in place (Gauss and Jordan, whose pivots
// without exchanges are all positive then); false: it is not.
static bool invert(double *a, int size)
{
    for (int k = 0; k < size; k++) {
        const double pivot = a[k * size + k];
        if (!(pivot > 0.0 && pivot <= 1.7e308)) return false;
        a[k * size + k] = 1.0;
        for (int j = 0; j < size; j++) a[k * size + j] /= pivot;
        for (int i = 0; i < size; i++) {
            if (i == k) continue;
            const double factor = a[i * size + k];
            a[i * size + k] = 0.0;
            for (int j = 0; j < size; j++) a[i * size + j] -= factor * a[k * size + j];
        }
    }
    return true;
}

// out [rows][block]: column j of row's block at [first + j][row - first].
static sedge_status invert_blocks(double *out, const sedge_matrix *matrix, int block)
{
    double a[BLOCK_MOST * BLOCK_MOST] = {0.0};

    for (int64_t first = 0; first < matrix->rows; first += block) {
        const int size = matrix->rows - first < block ? (int)(matrix->rows - first) : block;
        for (int i = 0; i < size * size; i++) a[i] = 0.0;
        for (int i = 0; i < size; i++) {
            for (int64_t k = matrix->offsets[first + i]; k < matrix->offsets[first + i + 1]; k++) {
                const int64_t j = matrix->columns[k] - matrix->first - first;
                if (j >= 0 && j < size) a[i * size + (int)j] = matrix->values[k];
            }
        }
        const double diagonal = a[0];
        if (!invert(a, size)) {
            const long long row = (long long)sedge_matrix_original(matrix, first) + 1;
            if (block == 1) {
                return SEDGE_FAIL(
                    SEDGE_ERR_COMPUTE,
                    "the diagonal entry of row %lld is %g: Jacobi needs positive ones", row,
                    diagonal);
            }
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                              "the diagonal block of %d rows from row %lld on is not positive "
                              "definite: block-Jacobi cannot use it",
                              size, row);
        }
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) out[(first + j) * block + i] = a[i * size + j];
    }
    return SEDGE_OK;
}

static sedge_status fill(sedge_jacobi *jacobi, sedge_context *context, const sedge_matrix *matrix,
                         int real_bytes)
{
    const int64_t count = matrix->rows * jacobi->block;
    sedge_status status;
    double *wide = NULL;
    float *narrow = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&wide, count, sizeof *wide));
    SEDGE_TRY_GOTO(status, invert_blocks(wide, matrix, jacobi->block));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&jacobi->values, sedge_context_device(context),
                                               count * real_bytes));
    if (real_bytes == 4) {
        SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, count, sizeof *narrow));
        for (int64_t i = 0; i < count; i++) narrow[i] = (float)wide[i];
    }
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(jacobi->values, 0,
                                               narrow != NULL ? (const void *)narrow : wide,
                                               count * real_bytes, NULL));
    jacobi->bytes = (double)(count + 2 * matrix->rows) * real_bytes;
    if (jacobi->block == 1) goto done;
    status =
        sedge_matrix_kernel(&jacobi->kernel, context, "matrix_blocks", real_bytes, jacobi->block);
done:
    sedge_release(wide);
    sedge_release(narrow);
    return status;
}

sedge_status sedge_jacobi_create(sedge_jacobi **out, sedge_context *context, const sedge_comm *comm,
                                 const sedge_matrix *matrix, int real_bytes, int block)
{
    sedge_status status;
    sedge_jacobi *jacobi = NULL;

    *out = NULL;
    if (block < 1 || block > BLOCK_MOST) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "blocks of %d rows are outside 1..%d", block,
                          BLOCK_MOST);
    }
    status = sedge_allocate(&jacobi, 1, sizeof *jacobi);
    if (status == SEDGE_OK) {
        jacobi->block = block;
        jacobi->rows = matrix->rows;
        status = fill(jacobi, context, matrix, real_bytes);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = jacobi;
    jacobi = NULL;
done:
    sedge_jacobi_free(jacobi);
    return status;
}

void sedge_jacobi_free(sedge_jacobi *jacobi)
{
    if (jacobi == NULL) return;
    sedge_buffer_free(jacobi->values);
    sedge_release(jacobi);
}

static sedge_status apply(void *context, sedge_stream *stream, const sedge_buffer *r,
                          sedge_buffer *z)
{
    const sedge_jacobi *const jacobi = context;

    return SEDGE_LAUNCH(jacobi->kernel, stream, (jacobi->rows + 127) / 128,
                        sedge_buffer_argument(jacobi->values), sedge_buffer_argument(r),
                        sedge_buffer_argument(z), sedge_int64_argument(jacobi->rows));
}

sedge_krylov_preconditioner sedge_jacobi_preconditioner(sedge_jacobi *jacobi)
{
    if (jacobi->kernel == NULL) return (sedge_krylov_preconditioner){.diagonal = jacobi->values};
    return (sedge_krylov_preconditioner){.context = jacobi, .apply = apply, .bytes = jacobi->bytes};
}

// ---- kernels -----------------------------------------------------------------------------------

sedge_status sedge_matrix_kernel(const sedge_kernel **out, sedge_context *context, const char *name,
                                 int real_bytes, int block)
{
    const sedge_source source = {"codegen/kernels/linear/matrix.h", NULL};
    const sedge_program *program;
    char constants[96];

    (void)snprintf(constants, sizeof constants,
                   "#define MATRIX_REAL  %s\n#define MATRIX_BLOCK %d\n",
                   real_bytes == 8 ? "double" : "float", block);
    const sedge_program_options options = {
        .name = "matrix", .constants = constants, .sources = &source, .count = 1};
    SEDGE_TRY(sedge_context_program(context, &program, &options));
    return sedge_program_get(out, program, name);
}

// ---- finding blocks ----------------------------------------------------------------------------

// Blocks of `size` in which there is an entry.
static int64_t count_blocks(const sedge_matrix *whole, int size, int64_t *seen)
{
    int64_t count = 0;

    for (int64_t i = 0; i < whole->rows / size; i++) seen[i] = -1;
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++) {
            const int64_t column = whole->columns[k] / size;
            if (seen[column] == i / size) continue;
            seen[column] = i / size;
            count++;
        }
    }
    return count;
}

int sedge_matrix_find_block(const sedge_matrix *whole)
{
    const int64_t count = whole->offsets[whole->rows];
    int64_t *seen = NULL;
    int found = 1;

    if (whole->rows < 2 || sedge_allocate(&seen, whole->rows, sizeof *seen) != SEDGE_OK) return 1;
    for (int size = BLOCK_MOST; size > 1 && found == 1; size--) {
        if (whole->rows % size != 0) continue;
        const double places = (double)count_blocks(whole, size, seen) * size * size;
        if ((double)count >= 0.9 * places) found = size;
    }
    sedge_release(seen);
    return found;
}
