#define _POSIX_C_SOURCE 200112L // setenv
#include "global.h"
#include "petsc.h"

#include "base/memory.h"

#include <petscpartitioner.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
    PetscInt *offsets;    // [elements + 1]
    PetscInt *neighbours; // without the element itself and without repetitions
} graph;

static sedge_status make_graph(graph *g, const sedge_global *mesh)
{
    PetscInt edges = 0;

    SEDGE_TRY(sedge_allocate(&g->offsets, mesh->elements + 1LL, sizeof(PetscInt)));
    SEDGE_TRY(sedge_allocate(&g->neighbours, 4LL * mesh->elements, sizeof(PetscInt)));
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t n = mesh->faces[e][f].neighbour;
            int known = n < 0 || n == e;
            for (PetscInt i = g->offsets[e]; i < edges; i++) known |= g->neighbours[i] == n;
            if (!known) g->neighbours[edges++] = n;
        }
        g->offsets[e + 1] = edges;
    }
    return SEDGE_OK;
}

static sedge_status run_partitioner(PetscPartitioner partitioner, PetscSection section, IS *list,
                                    graph *g, int32_t *part, int32_t elements, int parts)
{
    const char *const what = "the mesh cannot be partitioned";
    const PetscInt *point;
    PetscInt place = 0;

    SEDGE_TRY(
        sedge_petsc_check((int)PetscPartitionerPartition(partitioner, parts, elements, g->offsets,
                                                         g->neighbours, NULL, NULL, section, list),
                          what));
    SEDGE_TRY(sedge_petsc_check((int)PetscSectionSetUp(section), what));
    SEDGE_TRY(sedge_petsc_check((int)ISGetIndices(*list, &point), what));
    for (int p = 0; p < parts; p++) {
        PetscInt count;
        SEDGE_TRY(sedge_petsc_check((int)PetscSectionGetDof(section, p, &count), what));
        for (PetscInt i = 0; i < count; i++) part[point[place++]] = p;
    }
    return sedge_petsc_check((int)ISRestoreIndices(*list, &point), what);
}

static sedge_status call_petsc(int32_t *part, const sedge_global *mesh, int parts, const char *type)
{
    PetscPartitioner partitioner = NULL;
    PetscSection section = NULL;
    IS list = NULL;
    graph g = {NULL, NULL};
    char what[96];
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_graph(&g, mesh));
    SEDGE_TRY_GOTO(status,
                   sedge_petsc_check((int)PetscPartitionerCreate(PETSC_COMM_SELF, &partitioner),
                                     "PetscPartitioner"));
    (void)snprintf(what, sizeof what, "the partitioner '%s' is not usable", type);
    if (sedge_petsc_check((int)PetscPartitionerSetType(partitioner, type), what) != SEDGE_OK) {
        status = SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "partitioner '%s' is not one that PETSc knows; 'ptscotch' is the default", type);
        goto done;
    }
    SEDGE_TRY_GOTO(status,
                   sedge_petsc_check((int)PetscSectionCreate(PETSC_COMM_SELF, &section), what));
    SEDGE_TRY_GOTO(status, sedge_petsc_check((int)PetscSectionSetChart(section, 0, parts), what));
    status = run_partitioner(partitioner, section, &list, &g, part, mesh->elements, parts);
    if (status == SEDGE_ERR_DATA) status = SEDGE_ERR_USAGE; // the mesh is fine
done:
    (void)ISDestroy(&list);
    (void)PetscSectionDestroy(&section);
    (void)PetscPartitionerDestroy(&partitioner);
    sedge_release(g.offsets);
    sedge_release(g.neighbours);
    return status;
}

static sedge_status count_empty(const int32_t *part, int32_t elements, int parts, int *empty)
{
    char *filled;

    SEDGE_TRY(sedge_allocate(&filled, parts, 1));
    *empty = parts;
    for (int32_t e = 0; e < elements; e++) {
        *empty -= !filled[part[e]];
        filled[part[e]] = 1;
    }
    sedge_release(filled);
    return SEDGE_OK;
}

// Equal pieces of the Hilbert curve through the elements' centres.
static sedge_status cut_curve(int32_t *part, const sedge_global *mesh, int parts)
{
    double bounds[2][3];
    sedge_hilbert_place *order;

    SEDGE_TRY(sedge_allocate(&order, mesh->elements, sizeof *order));
    for (int d = 0; d < 3; d++) {
        bounds[0][d] = bounds[1][d] = mesh->points[0][d];
        for (int64_t v = 0; v < mesh->vertices; v++) {
            const double x = mesh->points[v][d];
            if (x < bounds[0][d]) bounds[0][d] = x;
            if (x > bounds[1][d]) bounds[1][d] = x;
        }
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->points[mesh->cells[e][v]][d];
        order[e] = (sedge_hilbert_place){sedge_hilbert_key(x, bounds), e};
    }
    const sedge_status status = sedge_hilbert_sort(order, mesh->elements);
    for (int64_t i = 0; i < mesh->elements; i++)
        part[order[i].element] = (int32_t)(i * parts / mesh->elements);
    sedge_release(order);
    return status;
}

// With threads of its own Scotch cuts differently in each run. The environment is then as before.
static sedge_status call_on_one_thread(int32_t *part, const sedge_global *mesh, int parts,
                                       const char *partitioner)
{
    static const char variable[] = "SCOTCH_PTHREAD_NUMBER";
    const bool is_given = getenv(variable) != NULL;

    if (!is_given && setenv(variable, "1", 0) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", variable);
    const sedge_status status = call_petsc(part, mesh, parts, partitioner);
    if (!is_given) (void)unsetenv(variable);
    return status;
}

sedge_status sedge_global_partition(int32_t *part, const sedge_global *mesh, int parts,
                                    const char *partitioner)
{
    int empty;

    if (mesh->elements < parts) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%d ranks are too many for %d elements: each rank needs one at least",
                          parts, mesh->elements);
    }
    if (parts == 1) {
        memset(part, 0, (size_t)mesh->elements * sizeof *part);
        return SEDGE_OK;
    }
    SEDGE_TRY(
        call_on_one_thread(part, mesh, parts, partitioner != NULL ? partitioner : "ptscotch"));
    SEDGE_TRY(count_empty(part, mesh->elements, parts, &empty));
    if (empty == 0) return SEDGE_OK;
    if (partitioner != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "partitioner '%s' leaves %d of %d ranks without elements (of %d)",
                          partitioner, empty, parts, mesh->elements);
    }
    return cut_curve(part, mesh, parts);
}
