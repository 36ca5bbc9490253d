#include "parts.h"

#include "base/memory.h"
#include "petsc/petsc_partition.h"

typedef struct graph {
    PetscInt *offsets;    // [count + 1]
    PetscInt *neighbours; // rows of the file, without the element itself and without repetitions
} graph;

static sedge_status make_graph(graph *g, const mesh_slice *slice, const bool *two_sided)
{
    PetscInt edges = 0;

    SEDGE_TRY(sedge_allocate(&g->offsets, slice->count + 1LL, sizeof(PetscInt)));
    SEDGE_TRY(
        sedge_allocate(&g->neighbours, (int64_t)SEDGE_FACES * slice->count, sizeof(PetscInt)));
    for (int32_t i = 0; i < slice->count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int64_t n = slice->neighbour[i][f];
            const int32_t surface = slice->surface[i][f];
            bool known = n < 0 || n == slice->first + i || (surface >= 0 && two_sided[surface]);
            for (PetscInt k = g->offsets[i]; k < edges; k++) known |= g->neighbours[k] == n;
            if (!known) g->neighbours[edges++] = (PetscInt)n;
        }
        g->offsets[i + 1] = edges;
    }
    return SEDGE_OK;
}

// How many ranks get no element. Collective.
static sedge_status count_empty(int *empty, const int32_t *part, int32_t count,
                                const sedge_comm *comm)
{
    const int ranks = sedge_comm_size(comm);
    int64_t *filled = NULL;

    *empty = 0;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&filled, ranks, sizeof *filled)));
    for (int32_t i = 0; i < count; i++) filled[part[i]] = 1;
    sedge_comm_max_int(comm, filled, ranks);
    for (int p = 0; p < ranks; p++) *empty += filled[p] == 0;
    sedge_release(filled);
    return SEDGE_OK;
}

static sedge_status check_counts(int64_t elements, int ranks)
{
    const bool is_small = sizeof(PetscInt) > 4 || elements <= INT32_MAX / SEDGE_FACES;

    if (elements < ranks) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%d ranks are too many for %lld elements: each rank needs one at least",
                          ranks, (long long)elements);
    }
    if (is_small) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%lld elements have more than the %d faces to which this PETSc counts; build "
                      "Sedge with a PETSc of 64-bit indices",
                      (long long)elements, INT32_MAX);
}

sedge_status mesh_parts_find(int32_t *part, const mesh_slice *slice, const bool *two_sided,
                             int64_t elements, const char *partitioner, const sedge_comm *comm)
{
    const int ranks = sedge_comm_size(comm);
    graph g = {NULL, NULL};
    int empty = 0;
    sedge_status status;

    if (ranks == 1) return SEDGE_OK; // part is zero
    SEDGE_TRY(check_counts(elements, ranks));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_graph(&g, slice, two_sided)));
    SEDGE_TRY_GOTO(status, sedge_petsc_partition_spread(part, slice->count, g.offsets, g.neighbours,
                                                        ranks, partitioner, comm));
    SEDGE_TRY_GOTO(status, count_empty(&empty, part, slice->count, comm));
    if (empty > 0 && partitioner != NULL) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "partitioner '%s' leaves %d of %d ranks without elements (of %lld)",
                            partitioner, empty, ranks, (long long)elements);
    }
    for (int32_t i = 0; i < slice->count && empty > 0; i++) part[i] = sedge_comm_rank(comm);
done:
    sedge_release(g.offsets);
    sedge_release(g.neighbours);
    return status;
}
