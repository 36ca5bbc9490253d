// The problem that all benchmarks solve: Maxwell in vacuum in a perfectly conducting box (or in any
// mesh, all of whose surface groups become conductors), upwind flux, a smooth state.
#pragma once

#include "dg/element.h"
#include "dg/problem.h"
#include "evolve/evolution.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

// `file` NULL: the unit box of cells^3 cubes, six tets each. Collective. Free with sedge_mesh_free.
SEDGE_MUST_USE
sedge_status bench_mesh_create(sedge_mesh **out, const sedge_comm *comm, const char *file,
                               int cells, sedge_numbering numbering, bool boundary_last);

// The cubes an axis whose tets come nearest to `elements`.
int bench_cells(int64_t elements);

// Release with sedge_problem_clear.
SEDGE_MUST_USE
sedge_status bench_problem_init(sedge_problem *problem, const sedge_mesh *mesh, int order,
                                sedge_precision precision);

// Add a term of the table in problem.c to all elements: "layer", "debye", "drude", "lorentz".
// SEDGE_ERR_USAGE where it has none of this name.
SEDGE_MUST_USE
sedge_status bench_problem_add_term(sedge_problem *problem, const char *name);

// A smooth state [elements][6][nodes] with energy in all fields. Release with sedge_release.
SEDGE_MUST_USE
sedge_status bench_state_create(double **out, const sedge_mesh *mesh, const sedge_element *element);

// A stable time step, the same on all ranks. Collective.
double bench_time_step(const sedge_comm *comm, const sedge_problem *problem,
                       const sedge_mesh *mesh);

// Energy of the operator's state, of all ranks; not-a-number where the state is. Collective.
SEDGE_MUST_USE
sedge_status bench_energy(double *out, const sedge_comm *comm, sedge_evolution *evolution,
                          const sedge_mesh *mesh);

// The median of `count` values, which are sorted: the least is then the first.
double bench_median(double *values, int count);
