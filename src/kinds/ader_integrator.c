// ADER: dg/predictor.h. Its limit is measured by eigenvalues (benchmarks/schemes.py limits): 0.425,
// 0.413, 0.394, 0.394, 0.378, 0.381, 0.371, 0.373 of that of lsrk45 at orders 1 to 8. For flat,
// sheared and needle-like cells, orders 1 to 10, see tests/stability.md.
#include "time/integrator.h"

static const double a[] = {1.0};
static const double b[] = {0.0};
static const double c[] = {0.0};

const sedge_integrator sedge_integrator_ader = {
    .name = "ader",
    .text =
        "one stage, order 3 in time at orders 1 and 2, else 4: each element predicts its step by "
        "itself, and may take steps of its own (`levels`); for linear equations with upwind fluxes",
    .stages = 1,
    .order = 0,
    .a = a,
    .b = b,
    .c = c,
    .stability = 0.37,
    .oscillation = 1.4,
    .radius = 1.0,
    .height = 0.36,
    .upwind = true,
    .predictor = true,
    .exponential = true};
