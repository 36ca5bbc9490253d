// LAPACK, loaded when it is first needed: PETSc brings it. By its Fortran names and arguments; the
// last ones, size_t, are the lengths of the texts, 1 each. Matrices are column by column. The
// functions are called by one thread.
#pragma once

#include "base/error.h"

#include <complex.h>
#include <stddef.h>

typedef struct sedge_lapack {
    // a (m x n) = u diag(s) vt, singular values s in descending order.
    void (*zgesdd)(const char *job, const int *m, const int *n, double complex *a, const int *lda,
                   double *s, double complex *u, const int *ldu, double complex *vt,
                   const int *ldvt, double complex *work, const int *lwork, double *rwork,
                   int *iwork, int *info, size_t);
    // Eigenvalues w of a (n x n).
    void (*zgeev)(const char *left, const char *right, const int *n, double complex *a,
                  const int *lda, double complex *w, double complex *vl, const int *ldvl,
                  double complex *vr, const int *ldvr, double complex *work, const int *lwork,
                  double *rwork, int *info, size_t, size_t);
    // x in place of b (m x columns) with least |a x - b|; a (m x n) has full rank.
    void (*zgels)(const char *transposed, const int *m, const int *n, const int *columns,
                  double complex *a, const int *lda, double complex *b, const int *ldb,
                  double complex *work, const int *lwork, int *info, size_t);
} sedge_lapack;

// SEDGE_ERR_DEVICE: there is none. Not collective.
SEDGE_MUST_USE
sedge_status sedge_lapack_load(const sedge_lapack **out);
