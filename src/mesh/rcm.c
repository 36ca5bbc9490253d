#include "local.h"
#include "petsc.h"

#include <petscmat.h>

#include <stdbool.h>

#define TRY_PETSC(call) \
    SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), "the elements cannot be numbered"))

// Neighbours on this rank, each once and without the element itself. PETSc's arrays, which its
// matrix takes over.
static void list_neighbours(PetscInt *offsets, PetscInt *neighbours, const sedge_record *records,
                            int32_t count, int rank)
{
    PetscInt edges = 0;

    offsets[0] = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            bool known = face->neighbour < 0 || face->rank != rank || face->position == i;
            for (PetscInt k = offsets[i]; k < edges; k++) known |= neighbours[k] == face->position;
            if (!known) neighbours[edges++] = face->position;
        }
        offsets[i + 1] = edges;
    }
}

sedge_status sedge_local_rcm(int32_t *place, const sedge_record *records, int32_t count, int rank)
{
    PetscInt *offsets = NULL;
    PetscInt *neighbours = NULL;
    const PetscInt *order = NULL;
    Mat graph = NULL;
    IS rows = NULL;
    IS columns = NULL;
    sedge_status status;

    TRY_PETSC(PetscMalloc1((size_t)count + 1, &offsets));
    TRY_PETSC(PetscMalloc1((size_t)SEDGE_FACES * (size_t)count + 1, &neighbours));
    list_neighbours(offsets, neighbours, records, count, rank);
    TRY_PETSC(MatCreateMPIAdj(PETSC_COMM_SELF, count, count, offsets, neighbours, NULL, &graph));
    offsets = NULL; // now the graph's
    neighbours = NULL;
    TRY_PETSC(MatGetOrdering(graph, MATORDERINGRCM, &rows, &columns));
    TRY_PETSC(ISGetIndices(rows, &order));
    for (int32_t i = 0; i < count; i++) place[order[i]] = i;
    status = sedge_petsc_check((int)ISRestoreIndices(rows, &order), "the elements");
done:
    (void)ISDestroy(&rows);
    (void)ISDestroy(&columns);
    (void)MatDestroy(&graph);
    (void)PetscFree(offsets);
    (void)PetscFree(neighbours);
    return status;
}
