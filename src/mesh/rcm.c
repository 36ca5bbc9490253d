#include "local.h"
#include "petsc.h"

#include "base/memory.h"

#include <petscmat.h>

#include <stdbool.h>

#define TRY_PETSC(call) \
    SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), "the elements cannot be numbered"))

// Neighbours on this rank by ascending position, each once and without the element itself.
static void list_neighbours(PetscInt *offsets, PetscInt *neighbours, const sedge_record *records,
                            int32_t count, int rank)
{
    PetscInt edges = 0;

    for (int32_t i = 0; i < count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_record_face *const face = &records[i].faces[f];
            bool known = face->neighbour < 0 || face->rank != rank || face->position == i;
            PetscInt k = edges;
            for (PetscInt n = offsets[i]; n < edges; n++) known |= neighbours[n] == face->position;
            if (known) continue;
            for (; k > offsets[i] && neighbours[k - 1] > face->position; k--)
                neighbours[k] = neighbours[k - 1];
            neighbours[k] = face->position;
            edges++;
        }
        offsets[i + 1] = edges;
    }
}

sedge_status sedge_local_rcm(int32_t *place, const sedge_record *records, int32_t count, int rank)
{
    PetscInt *offsets = NULL;
    PetscInt *neighbours = NULL;
    PetscScalar *values = NULL; // which nobody reads
    const PetscInt *order = NULL;
    Mat graph = NULL;
    IS rows = NULL;
    IS columns = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, count + 1LL, sizeof *offsets));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&neighbours, SEDGE_FACES * (int64_t)count, sizeof *neighbours));
    SEDGE_TRY_GOTO(status, sedge_allocate(&values, SEDGE_FACES * (int64_t)count, sizeof *values));
    list_neighbours(offsets, neighbours, records, count, rank);
    TRY_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, count, count, offsets, neighbours, values,
                                        &graph));
    TRY_PETSC(MatGetOrdering(graph, MATORDERINGRCM, &rows, &columns));
    TRY_PETSC(ISGetIndices(rows, &order));
    for (int32_t i = 0; i < count; i++) place[order[i]] = i;
    TRY_PETSC(ISRestoreIndices(rows, &order));
done:
    (void)ISDestroy(&rows);
    (void)ISDestroy(&columns);
    (void)MatDestroy(&graph);
    sedge_release(offsets);
    sedge_release(neighbours);
    sedge_release(values);
    return status;
}
