#define _POSIX_C_SOURCE 200809L // fileno
#include "linear/petsc_io.h"

#include "base/memory.h"
#include "mesh/petsc.h"

#include <petscmat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PETSC(call, what) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

sedge_status sedge_matrix_start(void)
{
    return sedge_petsc_start();
}

// ---- files -------------------------------------------------------------------------------------

static sedge_status copy_rows(sedge_matrix **out, Mat mat, const char *what)
{
    sedge_status status = SEDGE_OK;
    const PetscInt *offsets = NULL;
    const PetscInt *columns = NULL;
    const PetscScalar *values = NULL;
    PetscInt rows = 0;
    PetscBool done = PETSC_FALSE;

    PETSC(MatGetRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &rows, &offsets, &columns, &done), what);
    PETSC(MatSeqAIJGetArrayRead(mat, &values), what);
    SEDGE_TRY_GOTO(status, sedge_matrix_create(out, rows, 0, rows, offsets[rows]));
    for (PetscInt i = 0; i <= rows; i++) (*out)->offsets[i] = offsets[i];
    for (PetscInt k = 0; k < offsets[rows]; k++) {
        (*out)->columns[k] = columns[k];
        (*out)->values[k] = values[k];
    }
done:
    if (values != NULL) (void)MatSeqAIJRestoreArrayRead(mat, &values);
    if (done)
        (void)MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &rows, &offsets, &columns, &done);
    return status;
}

// A file that is being looked at: big-endian 32-bit numbers.
typedef struct look {
    FILE *file;
    const char *path;
} look;

static sedge_status fail_look(const look *at, const char *what)
{
    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s' as PETSc's binary form: %s", at->path,
                      what);
}

static sedge_status look_at_number(const look *at, int64_t *number)
{
    unsigned char bytes[4];

    if (fread(bytes, 1, sizeof bytes, at->file) != sizeof bytes)
        return fail_look(at, "it ends before all that its header announces");
    const uint32_t word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                          (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
    *number = (int64_t)word - (word > INT32_MAX ? (int64_t)1 << 32 : 0);
    return SEDGE_OK;
}

// Lengths of rows that add up, columns that ascend inside of the matrix.
static sedge_status look_at_rows(const look *at, int64_t rows, int64_t columns, int64_t count)
{
    sedge_status status = SEDGE_OK;
    int64_t *lengths = NULL;
    int64_t sum = 0;

    SEDGE_TRY(sedge_allocate(&lengths, rows, sizeof *lengths));
    for (int64_t i = 0; i < rows; i++) {
        SEDGE_TRY_GOTO(status, look_at_number(at, &lengths[i]));
        sum += lengths[i];
        if (lengths[i] < 0 || sum > count) break;
    }
    if (sum != count) {
        status = fail_look(at, "the lengths of its rows do not add up to its entries");
        goto done;
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t before = -1;
        for (int64_t k = 0; k < lengths[i]; k++) {
            int64_t column;
            SEDGE_TRY_GOTO(status, look_at_number(at, &column));
            if (column <= before || column >= columns) {
                char what[128];
                (void)snprintf(what, sizeof what,
                               "column %lld of row %lld lies outside or out of order",
                               (long long)column, (long long)i);
                status = fail_look(at, what);
                goto done;
            }
            before = column;
        }
    }
done:
    sedge_release(lengths);
    return status;
}

// PETSc believes the numbers in the file: look at them first.
static sedge_status look_at_matrix(const look *at)
{
    int64_t head[4]; // mark, rows, columns, entries
    struct stat about;

    for (int i = 0; i < 4; i++) SEDGE_TRY(look_at_number(at, &head[i]));
    if (head[1] < 1 || head[2] < 1 || head[3] < 0)
        return fail_look(at, "its size is not that of a sparse matrix");
    if (fstat(fileno(at->file), &about) != 0 ||
        about.st_size < 16 + 4 * head[1] + (4 + (int64_t)sizeof(double)) * head[3])
        return fail_look(at, "it ends before all that its header announces");
    return look_at_rows(at, head[1], head[2], head[3]);
}

static sedge_status look_at_vector(const look *at)
{
    int64_t head[2]; // mark, numbers
    struct stat about;

    for (int i = 0; i < 2; i++) SEDGE_TRY(look_at_number(at, &head[i]));
    if (head[1] < 0) return fail_look(at, "it announces a negative count of numbers");
    if (fstat(fileno(at->file), &about) != 0 ||
        about.st_size < 8 + (int64_t)sizeof(double) * head[1])
        return fail_look(at, "it ends before all that its header announces");
    return SEDGE_OK;
}

static sedge_status look_before(const char *path, sedge_status (*look_inside)(const look *))
{
    const look at = {.file = fopen(path, "rb"), .path = path};

    if (at.file == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path, strerror(errno));
    const sedge_status status = look_inside(&at);
    (void)fclose(at.file);
    return status;
}

sedge_status sedge_petsc_read_matrix(sedge_matrix **out, const char *path)
{
    sedge_status status = SEDGE_OK;
    PetscViewer viewer = NULL;
    Mat mat = NULL;
    PetscInt rows = 0;
    PetscInt columns = 0;
    char what[1200];

    *out = NULL;
    SEDGE_TRY(look_before(path, look_at_matrix));
    (void)snprintf(what, sizeof what, "cannot read '%s' as a PETSc matrix", path);
    PETSC(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_READ, &viewer), what);
    PETSC(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE), what);
    PETSC(MatCreate(PETSC_COMM_SELF, &mat), what);
    PETSC(MatSetType(mat, MATSEQAIJ), what);
    PETSC(MatLoad(mat, viewer), what);
    PETSC(MatGetSize(mat, &rows, &columns), what);
    if (rows != columns) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %d rows and %d columns: it is not square",
                            path, (int)rows, (int)columns);
        goto done;
    }
    status = copy_rows(out, mat, what);
done:
    (void)MatDestroy(&mat);
    (void)PetscViewerDestroy(&viewer);
    return status;
}

sedge_status sedge_petsc_read_vector(double **out, const char *path, int64_t size)
{
    sedge_status status = SEDGE_OK;
    PetscViewer viewer = NULL;
    Vec vec = NULL;
    PetscInt count = 0;
    const PetscScalar *values = NULL;
    char what[1200];

    *out = NULL;
    SEDGE_TRY(look_before(path, look_at_vector));
    (void)snprintf(what, sizeof what, "cannot read '%s' as a PETSc vector", path);
    PETSC(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_READ, &viewer), what);
    PETSC(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE), what);
    PETSC(VecCreate(PETSC_COMM_SELF, &vec), what);
    PETSC(VecLoad(vec, viewer), what);
    PETSC(VecGetSize(vec, &count), what);
    if (count != size) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %d numbers: the matrix asks for %lld", path,
                            (int)count, (long long)size);
        goto done;
    }
    PETSC(VecGetArrayRead(vec, &values), what);
    SEDGE_TRY_GOTO(status, sedge_allocate(out, size, sizeof **out));
    memcpy(*out, values, (size_t)size * sizeof **out);
done:
    if (values != NULL) (void)VecRestoreArrayRead(vec, &values);
    (void)VecDestroy(&vec);
    (void)PetscViewerDestroy(&viewer);
    return status;
}

// ---- partition ---------------------------------------------------------------------------------

// The graph without the rows themselves, in memory that PETSc releases.
static sedge_status make_graph(Mat *out, const sedge_matrix *whole, const char *what)
{
    sedge_status status = SEDGE_OK;
    const int64_t count = whole->offsets[whole->rows];
    PetscInt *offsets = NULL;
    PetscInt *neighbours = NULL;
    PetscInt edges = 0;

    if (count >= PETSC_MAX_INT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%lld entries are too many for PETSc's partitioner: use one rank",
                          (long long)count);
    }
    PETSC(PetscMalloc1((size_t)whole->rows + 1, &offsets), what);
    PETSC(PetscMalloc1((size_t)count, &neighbours), what);
    offsets[0] = 0;
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++)
            if (whole->columns[k] != i) neighbours[edges++] = (PetscInt)whole->columns[k];
        offsets[i + 1] = edges;
    }
    PETSC(MatCreateMPIAdj(PETSC_COMM_SELF, (PetscInt)whole->rows, (PetscInt)whole->rows, offsets,
                          neighbours, NULL, out),
          what);
    return SEDGE_OK; // the graph owns both
done:
    (void)PetscFree(offsets);
    (void)PetscFree(neighbours);
    return status;
}

sedge_status sedge_petsc_partition(int32_t *part, const sedge_matrix *whole, int parts)
{
    const char *const what = "the matrix cannot be partitioned";
    sedge_status status = SEDGE_OK;
    MatPartitioning partitioning = NULL;
    Mat graph = NULL;
    IS result = NULL;
    const PetscInt *owner = NULL;

    SEDGE_TRY_GOTO(status, make_graph(&graph, whole, what));
    PETSC(MatPartitioningCreate(PETSC_COMM_SELF, &partitioning), what);
    PETSC(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH), what);
    PETSC(MatPartitioningSetAdjacency(partitioning, graph), what);
    PETSC(MatPartitioningSetNParts(partitioning, parts), what);
    PETSC(MatPartitioningApply(partitioning, &result), what);
    PETSC(ISGetIndices(result, &owner), what);
    for (int64_t i = 0; i < whole->rows; i++) part[i] = (int32_t)owner[i];
done:
    if (owner != NULL) (void)ISRestoreIndices(result, &owner);
    (void)ISDestroy(&result);
    (void)MatPartitioningDestroy(&partitioning);
    (void)MatDestroy(&graph);
    return status;
}
