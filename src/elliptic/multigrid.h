// A preconditioner for the elliptic operator: one symmetric V-cycle through the orders N, N-1, ...,
// 1, then through continuous functions of order 1, on which algebraic multigrid works.
//
// Each order has its operator with its own penalty. The smoother is a Chebyshev iteration with
// block-Jacobi; each block belongs to one element and is inverted at set-up on the device. The same
// polynomial is used before and after the coarser levels, so that the cycle is symmetric and
// positive definite. Prolongation is the injection of the coarser space, and restriction is its
// transpose. On curved elements the operators of all levels are exact, but the blocks and the
// continuous level use the mean of the element's metric. The operator of the continuous level is
// the Galerkin projection. Without this level the number of iterations would grow as the mesh is
// refined.
#pragma once

#include "elliptic.h"

typedef struct sedge_multigrid sedge_multigrid;

typedef struct sedge_multigrid_options {
    int degree;   // applications of the blocks before and after; >= 1
    double ratio; // the largest eigenvalue divided by the smallest that is smoothed; > 1
} sedge_multigrid_options;

// degree 2, ratio 6.
sedge_multigrid_options sedge_multigrid_defaults(void);

// For `finest`, which must outlive it. Collective. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_multigrid_create(sedge_multigrid **out, const sedge_comm *comm,
                                    sedge_context *context, const sedge_mesh *mesh,
                                    const sedge_problem *problem, sedge_elliptic *finest,
                                    const sedge_multigrid_options *options);
// Collective, as sedge_elliptic_free.
void sedge_multigrid_free(sedge_multigrid *multigrid);

// z = M r. Kernels are queued in the stream; the coarsest level runs on the host, which waits for
// them. Collective.
SEDGE_MUST_USE
sedge_status sedge_multigrid_apply(sedge_multigrid *multigrid, sedge_stream *stream,
                                   const sedge_buffer *r, sedge_buffer *z);

// As sedge_krylov_create takes it; borrowed.
sedge_krylov_preconditioner sedge_multigrid_as_preconditioner(sedge_multigrid *multigrid);

typedef struct sedge_multigrid_info {
    int levels;                               // orders
    double largest[SEDGE_ELLIPTIC_ORDER_MAX]; // eigenvalue of block-Jacobi by level, estimated
    int64_t vertices;                         // of the continuous level
    int amg_levels;
    double block_bytes; // of all inverted blocks, this rank
    double setup_seconds;
    double amg_seconds; // in the coarsest level so far
} sedge_multigrid_info;

sedge_multigrid_info sedge_multigrid_get_info(const sedge_multigrid *multigrid);

// Device bytes of operators, blocks and vectors for `elements` elements, for `sedge check`.
int64_t sedge_multigrid_memory(int order, sedge_precision precision, int64_t elements);
