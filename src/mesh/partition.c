#include "global.h"

#include "base/memory.h"
#include "petsc/petsc_partition.h"

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

static sedge_status cut_graph(int32_t *part, const sedge_global *mesh, int parts, const char *type)
{
    graph g = {NULL, NULL};
    sedge_status status = make_graph(&g, mesh);

    if (status == SEDGE_OK)
        status = sedge_petsc_partition(part, mesh->elements, g.offsets, g.neighbours, parts, type);
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
    SEDGE_TRY(cut_graph(part, mesh, parts, partitioner != NULL ? partitioner : "ptscotch"));
    SEDGE_TRY(count_empty(part, mesh->elements, parts, &empty));
    if (empty == 0) return SEDGE_OK;
    if (partitioner != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "partitioner '%s' leaves %d of %d ranks without elements (of %d)",
                          partitioner, empty, parts, mesh->elements);
    }
    return cut_curve(part, mesh, parts);
}
