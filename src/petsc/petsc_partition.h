// Partitions a graph by Scotch, or by another of PETSc's partitioners.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <petscsys.h>
#include <stdbool.h>
#include <stdint.h>

// Before one of the ranks calls sedge_petsc_partition with `type`: enter PETSc (petsc_library.h),
// if rank 0 needs it for that. *entered: true if each rank must leave PETSc afterwards. Collective.
// Errors as of sedge_petsc_enter.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition_enter(bool *entered, const sedge_comm *comm, const char *type);

// part [vertices]: the part of every vertex, 0 <= part < parts; a part may be empty. The neighbours
// of vertex v are neighbours[offsets[v] .. offsets[v + 1] - 1], without v itself and without
// repetitions, and each of them has v among its own. `type` is a PetscPartitioner, NULL: ptscotch.
// The parts are about equal in size, and few neighbours lie in different parts. The result is the
// same in every run; a second graph of a process may be cut otherwise than the same graph alone.
// Not collective, after sedge_petsc_partition_enter on all ranks. SEDGE_ERR_USAGE: PETSc does not
// know the type, or it fails.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition(int32_t *part, int64_t vertices, PetscInt *offsets,
                                   PetscInt *neighbours, int parts, const char *type);

// The same for a graph that is spread over the ranks: this one has the next `vertices` vertices
// behind those of the ranks before it, and `neighbours` are numbers in the whole graph. PETSc
// partitions it on all ranks together. Collective, with no enter before.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition_spread(int32_t *part, int64_t vertices, PetscInt *offsets,
                                          PetscInt *neighbours, int parts, const char *type,
                                          const sedge_comm *comm);
