// What tests of the generated operator need: a mesh, a problem on it, the slow reference, a device,
// and the evolution there.
//
// The device is the one that SEDGE_TEST_DEVICE names, "host" without it: the same program tests the
// GPU where CTest registers it a second time. A device that is missing fails the test.
#pragma once

#include "dg/case.h"
#include "evolve/evolution.h"
#include "program/program.h"
#include "session/session.h"

// Of the process.
typedef struct kit_world {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
} kit_world;

// Start the helper, MPI and the device. Collective. On failure all is closed again and comm is
// NULL: the test has failed and has nothing more to do.
SEDGE_MUST_USE
sedge_status kit_open(kit_world *world);
void kit_close(kit_world *world);

// Two terms, each with two parameters: one linear with four components of memory; one not linear,
// which depends on the time, without memory.
extern const sedge_term_kind kit_relaxation;
extern const sedge_term_kind kit_saturation;

typedef dg_term kit_term;
typedef dg_wall kit_wall;
typedef dg_case_options kit_options;

typedef struct kit {
    const kit_world *world;
    dg_case base; // element, mesh, problem, reference, and three states: u, rhs, exact
    sedge_evolution *evolution;
    sedge_operator *op; // its right-hand side, borrowed
    double *result;     // what came back from the device
    double *energy;     // [elements]
} kit;

// Maxwell on a box of `cells` cubes an axis, fp64, upwind, one material, nothing else set.
kit_options kit_defaults(int order, int cells);

// What tests of Maxwell's equations share. Deck values; the signals act at the times that they use.
extern const double kit_conductor[3];  // epsilon, mu, sigma > 0
extern const double kit_resin[3];      // the same, without loss
extern const kit_wall kit_all_walls[]; // of a box: a kind each that Maxwell's equations have
extern const double kit_pulse[15];     // a plane wave, along no axis
extern const double kit_dipole[12];    // strong, in the last corner of the unit box
extern const double kit_upwind[3];     // by order modulo 3: upwind, central, in between

// As kit_defaults, with all that a state meets: inner vertices moved, the box cut at right angles
// to `split_axis` into two media of which one conducts and the other has a term with memory, all
// kinds of walls, a dipole, which is weak, so that its element does not drown the others;
// kit_upwind by order.
kit_options kit_everything(int order, int cells, int split_axis);

// Mesh, problem and reference; the evolution comes with kit_load. Collective. Clear it in any case.
SEDGE_MUST_USE
sedge_status kit_create(kit *k, const kit_world *world, const kit_options *options);
void kit_clear(kit *k);

// Make the evolution (instead of the one before): precision and configuration may differ each time.
// Collective.
SEDGE_MUST_USE
sedge_status kit_load(kit *k, sedge_precision precision, const sedge_operator_options *config);

// `cfl` times the stable step of the whole mesh. Collective.
double kit_time_step(const kit *k, double cfl);

// Give the evolution `u`, the memory of terms its known values and that of faces zero, take `steps`
// steps from t, leave the fields in k->result. Collective.
SEDGE_MUST_USE
sedge_status kit_advance(kit *k, const double *u, double t, double dt, int steps);

// Give the evolution k->base.u, take `steps` steps of half the stable one from t = 0, those
// numbered `longer` and `longer` + 1 longer by a quarter, and leave the fields in `out`.
// Collective.
SEDGE_MUST_USE
sedge_status kit_advance_unevenly(kit *k, double *out, int steps, int longer);

// Give the memory of terms its known values in the reference, random and the same on any number of
// ranks.
void kit_start_memory(kit *k);

// The largest difference of the memory of terms and faces between evolution and reference over all
// ranks, relative to the largest value; not a number where either is; 0 without memory. Collective.
double kit_memory_difference(kit *k);

// A whole solve: from the exact initial fields of `options`, in its precision and this
// configuration (NULL: by the rule), to time `end` in equal steps of at most `cfl` times the stable
// one. The L2 error relative to the exact fields. Collective.
SEDGE_MUST_USE
sedge_status kit_solve(double *error, const kit_world *world, const kit_options *options,
                       const sedge_operator_options *config, double end, double cfl);

// The largest difference of two states over all ranks, relative to the largest value of `b`; not a
// number where either is. Collective.
double kit_difference(const kit *k, const double *a, const double *b);

// Energy of the evolution's present state, summed as a run does. Collective.
double kit_energy(kit *k);

// Rounding unit of a precision: the tests' bounds are multiples of it.
double kit_rounding(sedge_precision precision);

// Fields sorted by global element number and written to `path` by the root, or read back:
// [global elements][fields][nodes]. Collective.
SEDGE_MUST_USE
sedge_status kit_write(const kit *k, const double *u, const char *path);
SEDGE_MUST_USE
sedge_status kit_read(const kit *k, double *u, const char *path);
