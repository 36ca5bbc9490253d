// Chebyshev iteration as a preconditioner or smoother: z = p(M A) M r with the polynomial that is
// least on an interval of eigenvalues, for any operator A and any cheap approximate inverse M (a
// diagonal, block-Jacobi), both symmetric positive definite.
#pragma once

#include "krylov/krylov.h"

typedef struct sedge_chebyshev sedge_chebyshev;

typedef struct sedge_chebyshev_options {
    int degree;               // applications of M, one more than of A; >= 1
    double smallest, largest; // the interval; largest 0: estimated, see sedge_krylov_largest
    double ratio;             // smallest = largest / ratio, where smallest is 0
} sedge_chebyshev_options;

// degree 4, interval estimated, ratio 30: the preconditioner of a whole solve. A smoother has
// degree 2 or 3 and ratio 4 to 10.
sedge_chebyshev_options sedge_chebyshev_defaults(void);

// For vectors of `rows` numbers of `real_bytes` (4, 8) on this rank. Collective over `comm` (NULL:
// this process alone). `inner` NULL: none. The operator, what `inner` points to, context and comm
// must outlive it. SEDGE_ERR_USAGE for an interval that is none of positive numbers,
// SEDGE_ERR_COMPUTE where the eigenvalue estimate finds that M A is not positive definite. The
// caller frees it; not collective.
SEDGE_MUST_USE
sedge_status sedge_chebyshev_create(sedge_chebyshev **out, sedge_context *context,
                                    const sedge_comm *comm, int real_bytes, int64_t rows,
                                    const sedge_krylov_operator *op,
                                    const sedge_krylov_preconditioner *inner,
                                    const sedge_chebyshev_options *options);
void sedge_chebyshev_free(sedge_chebyshev *chebyshev);

// z = p(M A) M r from the guess 0, or with `guess` from the one in z. Put into `stream`; as
// collective as the operator's call.
SEDGE_MUST_USE
sedge_status sedge_chebyshev_apply(sedge_chebyshev *chebyshev, sedge_stream *stream, bool guess,
                                   const sedge_buffer *r, sedge_buffer *z);

// As a preconditioner of sedge_krylov_create; borrowed.
sedge_krylov_preconditioner sedge_chebyshev_preconditioner(sedge_chebyshev *chebyshev);

// The interval that is used. Not collective.
void sedge_chebyshev_interval(const sedge_chebyshev *chebyshev, double *smallest, double *largest);

// Largest eigenvalue of M A by `steps` steps of conjugate gradients (the Lanczos matrix of their
// coefficients), fewer where they converge before: a lower bound, some per cent below after ten
// steps, and the eigenvalue itself after convergence. From the vector `start`; NULL: from a fixed
// pseudo-random one. Numbers of a vector that stand for nothing (padding) must be 0 in it.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_krylov_largest(double *largest, sedge_context *context, const sedge_comm *comm,
                                  int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                  const sedge_krylov_preconditioner *inner,
                                  const sedge_buffer *start, int steps);

// The number of a row in such a vector: pseudo-random in -1..1, the same each time.
double sedge_krylov_random(int64_t row);
