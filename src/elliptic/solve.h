// Solve an elliptic problem: compute the right-hand side, iterate by conjugate gradients with
// multigrid as the preconditioner, and give the solution at the nodes.
#pragma once

#include "elliptic.h"
#include "multigrid.h"

typedef enum sedge_elliptic_preconditioner {
    SEDGE_ELLIPTIC_MULTIGRID,
    SEDGE_ELLIPTIC_NONE
} sedge_elliptic_preconditioner;

typedef struct sedge_elliptic_solve_options {
    double tolerance; // of the true residual by the right-hand side, 2-norms
    int64_t iterations;
    sedge_elliptic_preconditioner preconditioner;
    sedge_multigrid_options multigrid;
    sedge_elliptic_options kernels;
    void (*progress)(void *context, int64_t iteration, double residual, double target);
    void *progress_context;
} sedge_elliptic_solve_options;

// Tolerance 1e-8 (fp64) or 1e-5 (fp32), 1000 iterations, multigrid.
sedge_elliptic_solve_options sedge_elliptic_solve_defaults(sedge_precision precision);

typedef struct sedge_elliptic_result {
    sedge_krylov_result krylov; // without its history
    sedge_multigrid_info multigrid;
    sedge_elliptic_cost cost;
    int64_t unknowns; // of all ranks
    bool singular;    // no condition fixes u; the solution with mean zero is chosen
    // Of a singular problem: the sum of sources and given fluxes, relative to the sum of their
    // absolute values. It should be zero; it is subtracted evenly over the volume.
    double imbalance;
    double setup_seconds, solve_seconds;
} sedge_elliptic_result;

// u [elements][nodes], the guess and then the solution. Collective. A solve that does not converge
// is no failure of this function: see result->krylov.reason. SEDGE_ERR_USAGE for a mesh in parts
// one of which has no condition that fixes u (parts.h).
SEDGE_MUST_USE
sedge_status sedge_elliptic_solve(double *u, sedge_elliptic_result *result, const sedge_comm *comm,
                                  sedge_context *context, const sedge_element *element,
                                  const sedge_mesh *mesh, const sedge_problem *problem,
                                  const sedge_elliptic_solve_options *options);

// The programs of such a solve, for `sedge build`: those of the operator of each order, and of the
// iterations. `curved`: the mesh has curved elements. Sets out[0 .. *count - 1], which the caller
// frees, also on failure, and their names.
enum { SEDGE_ELLIPTIC_TEXTS = SEDGE_ELLIPTIC_ORDER_MAX + 2, SEDGE_ELLIPTIC_NAME = 64 };
SEDGE_MUST_USE
sedge_status sedge_elliptic_solve_texts(sedge_text *out[SEDGE_ELLIPTIC_TEXTS],
                                        char name[SEDGE_ELLIPTIC_TEXTS][SEDGE_ELLIPTIC_NAME],
                                        int *count, const sedge_device_info *info, int order,
                                        sedge_precision precision, bool curved,
                                        const sedge_elliptic_solve_options *options);
