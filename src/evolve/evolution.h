// An evolution: the state of a problem on a device, and how it goes on in time.
//
// It owns the tuned right-hand side (operator/operator.h), the clock, the stages of the problem's
// integrator, the graphs that record a whole step, and the energies of elements on the device
// (fields at points: evolve/probes.h). Callers see fp64 arrays [elements][fields][nodes] in mesh
// order, nodal unless they ask for another basis; the device has a layout, basis and precision of
// its own.
#pragma once

#include "dg/energy_sum.h"
#include "dg/state_blocks.h"
#include "operator/operator.h"

typedef struct sedge_evolution sedge_evolution;

// Create the right-hand side (sedge_operator_create, whose arguments and failures these are) and a
// state of zeros. Also SEDGE_ERR_USAGE for a point source outside the mesh. Collective. Keeps
// element, mesh, problem, device, cache and comm, which must outlive it. The caller frees it;
// collective: what other ranks have put into streams for this one is done before memory goes. A
// rank that cannot come there, for it has failed alone, ends the job.
SEDGE_MUST_USE
sedge_status sedge_evolution_create(sedge_evolution **out, const sedge_comm *comm,
                                    sedge_device *device, sedge_cache *cache,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem,
                                    const sedge_operator_options *options);
void sedge_evolution_free(sedge_evolution *evolution);

// Its right-hand side, borrowed: kernels, how they were chosen, what they cost.
sedge_operator *sedge_evolution_operator(const sedge_evolution *evolution);

// The cache of its programs, borrowed.
sedge_cache *sedge_evolution_cache(const sedge_evolution *evolution);

// The fields as kernels see them (operator/fields.h), borrowed; steps change which of the
// buffers is the current one.
const struct operator_fields *sedge_evolution_fields(const sedge_evolution *evolution);

// The blocks of the state where they are on the device (evolve/blocks.h), borrowed.
const struct evolve_blocks *sedge_evolution_state_blocks(const sedge_evolution *evolution);

// The basis in which the device keeps the state: on all ranks the same.
sedge_basis sedge_evolution_basis(const sedge_evolution *evolution);

// Replace the fields, or get them: nodal values u [elements][fields][nodes], block 0 below. The
// memory of terms stays as it is. Wait for all work; not collective. If the device has another
// basis, the values are converted in fp64, so that in fp32 what is got is what was set but for the
// rounding of coefficients.
SEDGE_MUST_USE
sedge_status sedge_evolution_set(sedge_evolution *evolution, const double *u);
SEDGE_MUST_USE
sedge_status sedge_evolution_get(sedge_evolution *evolution, double *u);

// The blocks of the state: the fields first, then the memories of terms in the problem's order. On
// all ranks the same but for the elements.
int sedge_evolution_blocks(const sedge_evolution *evolution);
const sedge_block *sedge_evolution_block(const sedge_evolution *evolution, int i); // borrowed

// Replace block `i`, or get it, in a basis: values [block's elements][components][nodes], as above.
// In the device's own basis nothing is converted: what is got and set again is the same to the last
// bit.
SEDGE_MUST_USE
sedge_status sedge_evolution_set_block(sedge_evolution *evolution, int i, sedge_basis basis,
                                       const double *values);
SEDGE_MUST_USE
sedge_status sedge_evolution_get_block(sedge_evolution *evolution, int i, sedge_basis basis,
                                       double *values);

// One time step of `dt` from t, code units. Collective. Returns when its work is queued. A rank
// that fails alone leaves the others waiting for its traces: the caller ends the job. On a device
// with graphs a rank whose host does not wait inside a step (sedge_operator_waits) records a step
// once and launches it as a whole, as long as dt stays.
SEDGE_MUST_USE
sedge_status sedge_evolution_step(sedge_evolution *evolution, double t, double dt);

// Until all queued work is done. Not collective.
SEDGE_MUST_USE
sedge_status sedge_evolution_wait(sedge_evolution *evolution);

// How many steps are recorded as graphs (there are none, or one for each order of the two copies of
// the state: at most 2), and the turn of the halo's messages at which each begins. For tests.
int sedge_evolution_recorded(const sedge_evolution *evolution, int turn[2]);

// Energy of each element of this rank, [elements], code units; not-a-number where the state is.
// Waits; not collective.
SEDGE_MUST_USE
sedge_status sedge_evolution_energy(sedge_evolution *evolution, double *energy);

// The same without waiting, and with the sum: begin a measurement of the state at the end of the
// queue; wait for it when its sum is needed, with steps queued behind it. One is under way at a
// time. What is kept stays on the device when the next one begins. Not collective.
SEDGE_MUST_USE
sedge_status sedge_evolution_begin_energy(sedge_evolution *evolution);
SEDGE_MUST_USE
sedge_status sedge_evolution_end_energy(sedge_evolution *evolution, sedge_energy_sum *sum);
void sedge_evolution_keep_energies(sedge_evolution *evolution);

// Energies of elements, [elements]: of the last measurement, or those kept.
SEDGE_MUST_USE
sedge_status sedge_evolution_get_energies(sedge_evolution *evolution, bool kept, double *energies);
