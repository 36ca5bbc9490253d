// Inside src/linear: rows of a matrix to ranks, by PETSc's graph partitioner.
#pragma once

#include "linear/matrix.h"

// part[row]: 0 .. parts - 1, of about equal entries, few of which cross. The same in every run. On
// this rank alone.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition(int32_t *part, const sedge_matrix *whole, int parts);
