#include "matrix/petsc_io.h"

#include "base/memory.h"
#include "mesh/petsc.h"

#include <petscmat.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

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

sedge_status sedge_petsc_read_matrix(sedge_matrix **out, const char *path)
{
    sedge_status status = SEDGE_OK;
    PetscViewer viewer = NULL;
    Mat mat = NULL;
    PetscInt rows = 0;
    PetscInt columns = 0;
    char what[1200];

    *out = NULL;
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
