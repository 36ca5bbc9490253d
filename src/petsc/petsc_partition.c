#define _POSIX_C_SOURCE 200112L // setenv
#include "petsc/petsc_partition.h"

#include "petsc/petsc_library.h"
#include "petsc/scotch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PETSC(call) SEDGE_TRY_GOTO(status, sedge_petsc_check((int)(call), what))

typedef struct graph {
    PetscInt vertices;
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
    PETSC(petsc->PetscSectionCreate(PETSC_COMM_SELF, &section));
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

static sedge_status call_petsc(int32_t *part, const graph *g, int parts, const char *type)
{
    const sedge_petsc *petsc;
    PetscPartitioner partitioner = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_petsc_enter(&petsc, NULL));
    status = sedge_petsc_check((int)petsc->PetscPartitionerCreate(PETSC_COMM_SELF, &partitioner),
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

// With threads of its own Scotch cuts differently in each run. The environment is then as before.
sedge_status sedge_petsc_partition(int32_t *part, int64_t vertices, PetscInt *offsets,
                                   PetscInt *neighbours, int parts, const char *type)
{
    static const char variable[] = "SCOTCH_PTHREAD_NUMBER";
    const bool is_given = getenv(variable) != NULL;
    const graph g = {(PetscInt)vertices, offsets, neighbours};

    if (!is_given && setenv(variable, "1", 0) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", variable);
    const sedge_status status =
        needs_petsc(type) ? call_petsc(part, &g, parts, type != NULL ? type : "ptscotch")
                          : sedge_scotch_partition(part, vertices, offsets, neighbours, parts);
    if (!is_given) (void)unsetenv(variable);
    return status;
}
