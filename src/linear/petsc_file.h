// Inside src/linear: files in PETSc's binary form, as MatView and VecView of 64-bit reals and
// 32-bit indices write them, most significant byte first.
#pragma once

#include "linear/matrix.h"

// A file's first number: PETSc's MAT_FILE_CLASSID and VEC_FILE_CLASSID.
#define SEDGE_PETSC_MATRIX 1211216u
#define SEDGE_PETSC_VECTOR 1211214u

// A square matrix. On this rank alone. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_petsc_read_matrix(sedge_matrix **out, const char *path);

// A vector of `size` numbers. On this rank alone. The caller releases it.
SEDGE_MUST_USE
sedge_status sedge_petsc_read_vector(double **out, const char *path, int64_t size);
