#define _POSIX_C_SOURCE 200112L // setenv
// Scotch alone cuts a graph as PETSc's partitioner 'ptscotch' does: the same parts, for graphs of
// several sizes and shapes. Scotch goes on with its random numbers from one graph to the next, so
// that they begin anew before each.
#include "check.h"

#include "base/memory.h"
#include "par/comm.h"
#include "petsc/petsc_library.h"
#include "petsc/scotch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
    PetscInt vertices;
    PetscInt *offsets, *neighbours;
} graph;

// A lattice of nx x ny x nz points; `holes`: every fifth bond along x is missing.
static graph make_lattice(int nx, int ny, int nz, bool holes)
{
    const int strides[3] = {1, nx, nx * ny};
    const int counts[3] = {nx, ny, nz};
    graph g = {.vertices = nx * ny * nz};
    PetscInt edges = 0;

    CHECK_OK(sedge_allocate(&g.offsets, g.vertices + 1LL, sizeof *g.offsets));
    CHECK_OK(sedge_allocate(&g.neighbours, 6LL * g.vertices, sizeof *g.neighbours));
    for (int v = 0; v < g.vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            const int at = v / strides[axis] % counts[axis];
            const bool cut = holes && axis == 0;
            if (at > 0 && !(cut && (v - 1) % 5 == 0)) g.neighbours[edges++] = v - strides[axis];
            if (at + 1 < counts[axis] && !(cut && v % 5 == 0))
                g.neighbours[edges++] = v + strides[axis];
        }
        g.offsets[v + 1] = edges;
    }
    return g;
}

static void begin_anew(void)
{
    void *const handle = dlopen(SEDGE_SCOTCH_SONAME, RTLD_LAZY);
    void (*reset)(void) = NULL;

    CHECK(handle != NULL);
    void *const symbol = handle != NULL ? dlsym(handle, "SCOTCH_randomReset") : NULL;
    CHECK(symbol != NULL);
    memcpy(&reset, &symbol, sizeof symbol);
    if (reset != NULL) reset();
    if (handle != NULL) (void)dlclose(handle);
}

static void cut_by_petsc(const sedge_petsc *petsc, int32_t *part, const graph *g, int parts)
{
    PetscPartitioner partitioner = NULL;
    PetscSection section = NULL;
    IS list = NULL;
    const PetscInt *vertex = NULL;
    PetscInt place = 0;

    CHECK(petsc->PetscPartitionerCreate(PETSC_COMM_SELF, &partitioner) == 0);
    CHECK(petsc->PetscPartitionerSetType(partitioner, "ptscotch") == 0);
    CHECK(petsc->PetscSectionCreate(PETSC_COMM_SELF, &section) == 0);
    CHECK(petsc->PetscSectionSetChart(section, 0, parts) == 0);
    CHECK(petsc->PetscPartitionerPartition(partitioner, parts, g->vertices, g->offsets,
                                           g->neighbours, NULL, NULL, section, &list) == 0);
    CHECK(petsc->PetscSectionSetUp(section) == 0);
    CHECK(petsc->ISGetIndices(list, &vertex) == 0);
    for (int p = 0; p < parts; p++) {
        PetscInt count = 0;
        CHECK(petsc->PetscSectionGetDof(section, p, &count) == 0);
        for (PetscInt i = 0; i < count; i++) part[vertex[place++]] = p;
    }
    CHECK(place == g->vertices);
    CHECK(petsc->ISRestoreIndices(list, &vertex) == 0 && petsc->ISDestroy(&list) == 0);
    CHECK(petsc->PetscSectionDestroy(&section) == 0);
    CHECK(petsc->PetscPartitionerDestroy(&partitioner) == 0);
}

static void compare(const sedge_petsc *petsc, graph g, int parts)
{
    int32_t *mine, *theirs;
    int64_t sizes[16] = {0};
    int different = 0;

    CHECK_OK(sedge_allocate(&mine, g.vertices, sizeof *mine));
    CHECK_OK(sedge_allocate(&theirs, g.vertices, sizeof *theirs));
    begin_anew();
    cut_by_petsc(petsc, theirs, &g, parts);
    begin_anew();
    CHECK_OK(sedge_scotch_partition(mine, g.vertices, g.offsets, g.neighbours, parts));
    for (int v = 0; v < g.vertices; v++) {
        different += mine[v] != theirs[v];
        CHECK(mine[v] >= 0 && mine[v] < parts);
        if (mine[v] >= 0 && mine[v] < parts) sizes[mine[v]]++;
    }
    CHECK(different == 0);
    for (int p = 0; p < parts; p++) CHECK(sizes[p] > 0);
    sedge_release(mine);
    sedge_release(theirs);
    sedge_release(g.offsets);
    sedge_release(g.neighbours);
}

int main(void)
{
    const sedge_petsc *petsc;
    sedge_comm *comm = NULL;

    CHECK(setenv("SCOTCH_PTHREAD_NUMBER", "1", 1) == 0); // as sedge_petsc_partition does
    CHECK_OK(sedge_comm_create(&comm, NULL));
    if (!sedge_scotch_is_there()) {            // nothing to compare: PETSc's partitioner is taken
        CHECK(SEDGE_SCOTCH_SONAME[0] == '\0'); // right where PETSc links no Scotch
        sedge_comm_free(comm);
        return CHECK_END();
    }
    CHECK_OK(sedge_petsc_enter(&petsc, NULL));
    if (petsc == NULL) return 1;
    for (int parts = 2; parts <= 16; parts = parts < 4 ? parts + 1 : 2 * parts) {
        compare(petsc, make_lattice(12, 9, 7, false), parts);
        compare(petsc, make_lattice(20, 5, 4, true), parts);
        compare(petsc, make_lattice(64, 1, 1, false), parts);
    }
    sedge_petsc_leave();
    sedge_comm_free(comm);
    return CHECK_END();
}
