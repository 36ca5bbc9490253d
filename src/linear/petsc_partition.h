// Inside src/linear: assigns the rows of a matrix to parts with PETSc's graph partitioner.
#pragma once

#include "linear/matrix.h"

// part[row] is 0 .. parts - 1. The parts have about equal numbers of entries, and few entries
// connect two parts. The result is the same in every run. Not collective.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition(int32_t *part, const sedge_matrix *whole, int parts);
