#include "linear/petsc_partition.h"

#include "mesh/petsc.h"

#include <petscmat.h>

#define PETSC(call, what) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

sedge_status sedge_matrix_start(void)
{
    return sedge_petsc_start();
}

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
