// Partitions a graph with Scotch alone, as PETSc's partitioner 'ptscotch' does where the whole
// graph lies on one rank. PETSc brings some sixty libraries more, which each rank would load.
#pragma once

#include "base/error.h"

#include <petscsys.h>
#include <stdbool.h>
#include <stdint.h>

// Whether Scotch can be loaded, with integers of PETSc's size. Not collective.
bool sedge_scotch_is_there(void);

// As sedge_petsc_partition with type 'ptscotch', where Scotch is there: the same parts. Not
// collective. SEDGE_ERR_USAGE: Scotch fails.
SEDGE_MUST_USE
sedge_status sedge_scotch_partition(int32_t *part, int64_t vertices, const PetscInt *offsets,
                                    const PetscInt *neighbours, int parts);
