#define _POSIX_C_SOURCE 200112L // setenv
#include "petsc/petsc_partition.h"

#include "petsc/petsc_library.h"
#include "petsc/scotch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PETSC(call) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

typedef struct graph {
    MPI_Comm ranks;    // that have it
    PetscInt vertices; // of this rank
    PetscInt *offsets, *neighbours;
} graph;

static sedge_status run_partitioner(int32_t *part, const sedge_petsc *petsc, const graph *g,
                                    PetscPartitioner partitioner, int parts, const char *type)
{
    PetscSection section = NULL;
    IS list = NULL;
    const PetscInt *vertex = NULL;
    PetscInt place = 0;
    char what[128];
    sedge_status status = SEDGE_OK;

    (void)snprintf(what, sizeof what, "partitioner '%s': the graph cannot be partitioned", type);
    PETSC(petsc->PetscSectionCreate(g->ranks, &section));
    PETSC(petsc->PetscSectionSetChart(section, 0, parts));
    PETSC(petsc->PetscPartitionerPartition(partitioner, parts, g->vertices, g->offsets,
                                           g->neighbours, NULL, NULL, section, &list));
    PETSC(petsc->PetscSectionSetUp(section));
    PETSC(petsc->ISGetIndices(list, &vertex));
    for (int p = 0; p < parts; p++) {
        PetscInt count;
        PETSC(petsc->PetscSectionGetDof(section, p, &count));
        for (PetscInt i = 0; i < count; i++) part[vertex[place++]] = p;
    }
done:
    if (vertex != NULL) (void)petsc->ISRestoreIndices(list, &vertex);
    (void)petsc->ISDestroy(&list);
    (void)petsc->PetscSectionDestroy(&section);
    return status == SEDGE_ERR_DATA ? SEDGE_ERR_USAGE : status; // the graph is fine
}

// `comm`: the graph's ranks, NULL: this one alone.
static sedge_status call_petsc(int32_t *part, const graph *g, int parts, const char *type,
                               const sedge_comm *comm)
{
    const sedge_petsc *petsc;
    PetscPartitioner partitioner = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_petsc_enter(&petsc, comm));
    status = sedge_petsc_check((int)petsc->PetscPartitionerCreate(g->ranks, &partitioner),
                               "PetscPartitioner");
    if (status == SEDGE_OK &&
        sedge_petsc_check((int)petsc->PetscPartitionerSetType(partitioner, type), type) !=
            SEDGE_OK) {
        status = SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "partitioner '%s' is not one that PETSc knows; 'ptscotch' is the default", type);
    }
    if (status == SEDGE_OK) status = run_partitioner(part, petsc, g, partitioner, parts, type);
    (void)petsc->PetscPartitionerDestroy(&partitioner);
    sedge_petsc_leave();
    return status;
}

static bool needs_petsc(const char *type)
{
    return (type != NULL && strcmp(type, "ptscotch") != 0) || !sedge_scotch_is_there();
}

sedge_status sedge_petsc_partition_enter(bool *entered, const sedge_comm *comm, const char *type)
{
    const sedge_petsc *petsc;
    bool needed = sedge_comm_is_root(comm) && needs_petsc(type);

    *entered = false;
    sedge_comm_broadcast(comm, &needed, sizeof needed, 0);
    if (!needed) return SEDGE_OK;
    SEDGE_TRY(sedge_petsc_enter(&petsc, comm));
    *entered = true;
    return SEDGE_OK;
}

// Set a variable of the environment to "1" unless the user has set it; `*is_ours`: it was not.
static sedge_status set_variable(const char *name, bool *is_ours)
{
    *is_ours = getenv(name) == NULL;
    if (!*is_ours || setenv(name, "1", 0) == 0) return SEDGE_OK;
    *is_ours = false;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", name);
}

// With threads of its own Scotch cuts differently in each run.
static const char threads[] = "SCOTCH_PTHREAD_NUMBER";
// On several ranks it does, too, unless it takes messages in a fixed order.
static const char deterministic[] = "SCOTCH_DETERMINISTIC";

// The environment is then as before.
sedge_status sedge_petsc_partition(int32_t *part, int64_t vertices, PetscInt *offsets,
                                   PetscInt *neighbours, int parts, const char *type)
{
    const graph g = {PETSC_COMM_SELF, (PetscInt)vertices, offsets, neighbours};
    bool is_ours;

    SEDGE_TRY(set_variable(threads, &is_ours));
    const sedge_status status =
        needs_petsc(type) ? call_petsc(part, &g, parts, type != NULL ? type : "ptscotch", NULL)
                          : sedge_scotch_partition(part, vertices, offsets, neighbours, parts);
    if (is_ours) (void)unsetenv(threads);
    return status;
}

sedge_status sedge_petsc_partition_spread(int32_t *part, int64_t vertices, PetscInt *offsets,
                                          PetscInt *neighbours, int parts, const char *type,
                                          const sedge_comm *comm)
{
    graph g = {MPI_COMM_NULL, (PetscInt)vertices, offsets, neighbours};
    bool is_ours[2] = {false, false};

    sedge_comm_native(comm, &g.ranks);
    sedge_status status = set_variable(threads, &is_ours[0]);
    if (status == SEDGE_OK) status = set_variable(deterministic, &is_ours[1]);
    status = sedge_comm_agree(comm, status);
    if (status == SEDGE_OK) {
        status = sedge_comm_agree(
            comm, call_petsc(part, &g, parts, type != NULL ? type : "ptscotch", comm));
    }
    if (is_ours[0]) (void)unsetenv(threads);
    if (is_ours[1]) (void)unsetenv(deterministic);
    return status;
}
