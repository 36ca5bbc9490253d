// Time integrators: low-storage Runge-Kutta methods as tables (2N storage). For each stage s,
//   residual = a[s] residual + dt f(u, t + c[s] dt),   u = u + b[s] residual.
// Integrators with `predictor` are of the kind ADER instead (dg/predictor.h): each element predicts
// its mean state over the step by itself, and one evaluation of f with these means makes the step,
//   u = u + dt f(mean).
// An integrator is one file, NAME_integrator.c, which defines sedge_integrator_NAME; CMake finds it
// (src/kinds/README.md). The deck's key time.integrator takes the names.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sedge_integrator {
    const char *name; // in the deck
    const char *text; // one sentence, for input/keys.md
    int stages;
    int order;
    const double *a; // [stages]; a[0] = 0: a step does not use the residual of the previous step
    const double *b;
    const double *c;
    // The largest stable step relative to lsrk45, measured along the negative real axis, where
    // |R(z)| <= 1 must hold. This part of the region limits waves damped by upwind fluxes, and
    // decay.
    double stability;
    // The rate of decay that limits the step as much as an undamped oscillation of angular
    // frequency 1: the region's reach along the negative real axis over that along the imaginary
    // one.
    double oscillation;
    // The size of an element for its limit is the smaller one of these parts of its inscribed
    // radius and of its least height. That radius overstates the stable step of flat elements.
    double radius, height;
    // Whether the limit holds with upwind fluxes alone: with central ones, whose waves are not
    // damped, it would be that along the imaginary axis.
    bool upwind;
    // A step has one stage, a = 1 and b = 0, which the operator runs with the mean in place of u
    // and the state in place of the residual. For linear equations with upwind fluxes. Elements may
    // take steps of their own, by levels (dg/levels.h).
    bool predictor;
    bool exponential; // it bears the exponential update of stiff poles (dg/exponential.h)
} sedge_integrator;

// The coefficients of one stage.
typedef struct sedge_stage {
    double a, b;
    double delay; // c dt: from the step's beginning to the stage's time
    double dt;
    // 1 / b of the stage before, if the residual that it left is found from the states before and
    // after it, which saves reading and writing it; 0: it is read.
    double found;
    bool drops; // the next stage does not read the residual of this one: it need not be written
    // The terms' memory goes from one of its two buffers to the other as the state does, but ends a
    // step in the first. `turned`: before this stage it is in the second. `back`: the stage writes
    // it in place.
    bool turned, back;
    int level; // of the elements that it is for, with local time steps (dg/predictor.h); else 0
} sedge_stage;

// A residual is found where the rounding of states that is in it enters later ones multiplied by at
// most 4, or 1000 where real numbers have 8 bytes: in all stages of lsrk45, with at most 3.95, and
// in six of ndblsrk144, or in eleven, with at most 502. `real_bytes`: 4 or 8, those of the states.
sedge_stage sedge_integrator_stage(const sedge_integrator *integrator, int real_bytes, int stage,
                                   double dt);

// The same, where each residual is read and memory stays where it is: for exponential terms, whose
// updates are no such stages.
sedge_stage sedge_integrator_stage_kept(const sedge_integrator *integrator, int stage, double dt);

// States that a stage reads and writes, on average: its own, the next one, residuals that it reads
// or what it finds them from, those that it writes. `kept`: of stages that keep each residual.
double sedge_integrator_states(const sedge_integrator *integrator, int real_bytes, bool kept);

// Whether any stage reads the residual of the one before it.
bool sedge_integrator_keeps(const sedge_integrator *integrator, int real_bytes);

// How far off one step of a Runge-Kutta method is for y' = i y over the time `angle`:
// |y exp(-i angle) - 1|.
double sedge_integrator_error(const sedge_integrator *integrator, double angle);

// The default integrator of a problem.
extern const sedge_integrator sedge_integrator_lsrk45;

// All integrators of this program, NULL-terminated: lsrk45, then those of the registry of kinds.
extern const sedge_integrator *const sedge_integrators[];

// Check that each row of a table that ends with NULL is complete, and that no two have one name.
// SEDGE_ERR_USAGE names what is missing or cannot be.
SEDGE_MUST_USE
sedge_status sedge_integrators_check(const sedge_integrator *const table[]);

// By name; NULL if there is none. A constant of the program.
const sedge_integrator *sedge_integrator_find(const char *name);

// All names, with spaces between them, into text[size].
void sedge_integrator_names(char *text, size_t size);
