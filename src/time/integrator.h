// Time integrators: low-storage Runge-Kutta methods as tables (2N storage). For each stage s,
//   residual = a[s] residual + dt f(u, t + c[s] dt),   u = u + b[s] residual.
// An integrator is one file, NAME_integrator.c, which defines sedge_integrator_NAME; CMake finds it
// (src/kinds/README.md). The deck's key time.integrator takes the names.
#pragma once

#include <stddef.h>

typedef struct sedge_integrator {
    const char *name; // in the deck
    const char *text; // one sentence, for input/README.md
    int stages;
    int order;
    const double *a; // [stages]; a[0] = 0: no stage reads what the step before left
    const double *b;
    const double *c;
    // The largest stable step relative to lsrk45: by how much further |R(z)| <= 1 reaches along the
    // negative real axis. Damped waves, as upwind fluxes make them, and decay are bound by it.
    double stability;
} sedge_integrator;

// What one stage needs of its integrator.
typedef struct sedge_stage {
    double a, b;
    double delay; // c dt: from the step's beginning to the stage's time
    double dt;
} sedge_stage;

sedge_stage sedge_integrator_stage(const sedge_integrator *integrator, int stage, double dt);

// What a problem has if nobody chooses.
extern const sedge_integrator sedge_integrator_lsrk45;

// All integrators of this program, NULL-terminated: lsrk45, then those of the registry of kinds.
extern const sedge_integrator *const sedge_integrators[];

// By name; NULL if there is none. A constant of the program.
const sedge_integrator *sedge_integrator_find(const char *name);

// All names, with spaces between them, into text[size].
void sedge_integrator_names(char *text, size_t size);
