// The state at the end of a step, as monitors see it. Fields and energies are copied from the
// solver when the first monitor asks for them, and kept until the next step for the others.
#pragma once

#include "base/error.h"
#include "dg/energy_sum.h"
#include "dg/field_layout.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

typedef struct sedge_sample sedge_sample;

// The step, and its time in code units.
int64_t sedge_sample_step(const sedge_sample *sample);
double sedge_sample_time(const sedge_sample *sample);

// The fields: nodal values u [elements][fields][nodes] of this rank's elements in mesh order, code
// units. Borrowed until the next step. Collective.
SEDGE_MUST_USE
sedge_status sedge_sample_fields(sedge_sample *sample, const double **u);

// The energy of the mesh without layers, code units, as sedge_sample_sum. Collective.
SEDGE_MUST_USE
sedge_status sedge_sample_energy(sedge_sample *sample, double *energy);

// The same in two parts for a run that does not wait: what is begun now is known when steps behind
// it are queued, and then does not stop them. Not-a-number: the energy of some element, which may
// lie in a layer, is not finite. One is under way at a time. The source has `begin_energy`.
// sedge_sample_begin_energy is of one rank; sedge_sample_end_energy is collective.
SEDGE_MUST_USE
sedge_status sedge_sample_begin_energy(sedge_sample *sample);
SEDGE_MUST_USE
sedge_status sedge_sample_end_energy(sedge_sample *sample, double *energy);

// The sum of `energies` [elements] over all ranks: the same to the last bit on any number of ranks,
// but for rounding in the elements themselves. Collective.
double sedge_sample_sum(const sedge_comm *comm, int32_t elements, const double *energies);

// ---- for solvers -------------------------------------------------------------------------------

// How the data come from a solver. Its functions are of one rank, and wait for the device unless
// they say otherwise.
typedef struct sedge_sample_source {
    void *solver;
    sedge_status (*fields)(void *solver, double *u);          // as sedge_sample_fields gives them
    sedge_status (*energies)(void *solver, double *energies); // [elements]
    // Optional, all four: the same measured on the device without waiting, and its sum, as
    // sedge_evolution_begin_energy and its neighbours do it.
    sedge_status (*begin_energy)(void *solver);
    sedge_status (*end_energy)(void *solver, sedge_energy_sum *sum);
    void (*keep_energies)(void *solver);
    sedge_status (*get_energies)(void *solver, bool kept, double *energies);
    // Fields at points, recorded on the device. A set of points is made once: point i lies in
    // elements[i], and its nodal weights are row rows[i] of `weights` [row_count][nodes]; the
    // arrays are not kept. Then each call of `record_points` keeps the fields at all its points
    // without waiting, at most `capacity` times until `forget_points`; `fetch_points` gives values
    // [samples][points][fields].
    sedge_status (*create_points)(void **points, void *solver, int count, const int32_t *elements,
                                  const int32_t *rows, int row_count, const double *weights,
                                  int capacity);
    void (*free_points)(void *points);
    sedge_status (*record_points)(void *points);
    sedge_status (*fetch_points)(void *points, double *values, int *samples);
    void (*forget_points)(void *points);
    // Sums of what is recorded times phases, on the device: `create_transform` is collective. Of
    // the points first, ..., first + count - 1 and of some fields, with `numbers` numbers a phase.
    // `add_samples` adds all recorded samples, phases [samples][numbers], without waiting for them;
    // sums are [count][components][numbers].
    sedge_status (*create_transform)(void **transform, void *points, int first, int count,
                                     int components, const int *component, int numbers);
    void (*free_transform)(void *transform);
    sedge_status (*add_samples)(void *transform, const double *phases);
    sedge_status (*set_sums)(void *transform, const double *sums);
    sedge_status (*get_sums)(void *transform, double *sums);
    // Optional, all five: the fields as a file holds them, converted on the device and copied to
    // one of some rooms on the host while steps go on. `take_snapshot` does not wait;
    // `wait_snapshot` may be called by any thread. NULL: `fields` are converted on the host.
    sedge_status (*create_snapshot)(void **snapshot, void *solver, const sedge_field_layout *layout,
                                    int rooms);
    void (*free_snapshot)(void *snapshot);
    sedge_status (*take_snapshot)(void *snapshot, int room);
    sedge_status (*wait_snapshot)(void *snapshot, int room);
    const float *(*get_snapshot)(void *snapshot, int room);
} sedge_sample_source;

// `u` is the caller's room for the fields, which nobody else writes to. Keeps all arguments. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_sample_create(sedge_sample **out, const sedge_comm *comm, const sedge_mesh *mesh,
                                 const sedge_sample_source *source, double *u);
void sedge_sample_free(sedge_sample *sample);

// From now on the sample is of the state at the end of `step`, which the solver has made or queued.
void sedge_sample_begin(sedge_sample *sample, double time, int64_t step);

const sedge_sample_source *sedge_sample_get_source(const sedge_sample *sample);
