// Partitions a graph with PETSc.
#pragma once

#include "base/error.h"

#include <petscsys.h>
#include <stdint.h>

// part [vertices]: the part of every vertex, 0 <= part < parts; a part may be empty. The neighbours
// of vertex v are neighbours[offsets[v] .. offsets[v + 1] - 1], without v itself and without
// repetitions, and each of them has v among its own. `type` is a PetscPartitioner. The parts are
// about equal in size, and few neighbours lie in different parts. The result is the same in every
// run. Not collective, within an enter of all ranks. SEDGE_ERR_USAGE: PETSc does not know the type,
// or it fails.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition(int32_t *part, int64_t vertices, PetscInt *offsets,
                                   PetscInt *neighbours, int parts, const char *type);
