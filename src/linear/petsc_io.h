// Inside src/linear: what PETSc reads and how it partitions. Its .c and amg.c are the only ones
// here that see PETSc.
#pragma once

#include "linear/matrix.h"

#define SEDGE_PETSC_MATRIX 1211216u // MAT_FILE_CLASSID
#define SEDGE_PETSC_VECTOR 1211214u // VEC_FILE_CLASSID

// On this rank alone.
SEDGE_MUST_USE
sedge_status sedge_petsc_read_matrix(sedge_matrix **out, const char *path);
SEDGE_MUST_USE
sedge_status sedge_petsc_read_vector(double **out, const char *path, int64_t size);

// part[row]: 0 .. parts - 1, of about equal entries, few of which cross. The same in every run. On
// this rank alone.
SEDGE_MUST_USE
sedge_status sedge_petsc_partition(int32_t *part, const sedge_matrix *whole, int parts);
