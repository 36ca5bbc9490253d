// Chebyshev iteration as a preconditioner or smoother: z = p(M A) M r. The polynomial p minimises
// the residual polynomial's maximum on an interval of eigenvalues. A is any operator and M any
// cheap approximate inverse of it (a diagonal, block-Jacobi); both are symmetric positive definite.
#pragma once

#include "linear/krylov.h"

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
// must outlive it. SEDGE_ERR_USAGE: the interval's ends are not positive numbers in ascending
// order. SEDGE_ERR_COMPUTE: the eigenvalue estimate finds that M A is not positive definite. The
// caller frees the result; freeing is not collective.
SEDGE_MUST_USE
sedge_status sedge_chebyshev_create(sedge_chebyshev **out, sedge_context *context,
                                    const sedge_comm *comm, int real_bytes, int64_t rows,
                                    const sedge_krylov_operator *op,
                                    const sedge_krylov_preconditioner *inner,
                                    const sedge_chebyshev_options *options);
void sedge_chebyshev_free(sedge_chebyshev *chebyshev);

// z = p(M A) M r. The iteration starts from 0 or, with `guess`, from the vector in z. Queued in
// `stream`. Collective if the operator's call is.
SEDGE_MUST_USE
sedge_status sedge_chebyshev_apply(sedge_chebyshev *chebyshev, sedge_stream *stream, bool guess,
                                   const sedge_buffer *r, sedge_buffer *z);

// As a preconditioner of sedge_krylov_create; borrowed.
sedge_krylov_preconditioner sedge_chebyshev_preconditioner(sedge_chebyshev *chebyshev);

// The interval that is used. Not collective.
void sedge_chebyshev_interval(const sedge_chebyshev *chebyshev, double *smallest, double *largest);

// Estimate the largest eigenvalue of M A from `steps` steps of conjugate gradients (the Lanczos
// matrix of their coefficients), or fewer if they converge. The result is a lower bound, after ten
// steps some percent too low; after convergence it is the eigenvalue itself. The iteration begins
// with the vector `start`, whose padding must be 0; NULL: a fixed pseudo-random vector. Collective.
SEDGE_MUST_USE
sedge_status sedge_krylov_largest(double *largest, sedge_context *context, const sedge_comm *comm,
                                  int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                  const sedge_krylov_preconditioner *inner,
                                  const sedge_buffer *start, int steps);

// The entry of the pseudo-random vector in row `row`: in -1..1, the same in every run.
double sedge_krylov_random(int64_t row);
