// Levels of local time steps: which elements take how long a step.
//
// The elements of level l take steps of 2^l dt, those of level 0, the finest, steps of dt: the
// ticks. With n levels all elements meet after a macro step of 2^(n-1) ticks. From the stable step
// of each element alone, dt_K,
//
//   level_K = floor(log2(dt_K / dt)),    but at most that of each neighbour + 1.
//
// Where a surface's condition needs both sides, both get the lower level. Other elements take a
// lower level, too, where that costs less than the faces between levels which it saves. The tick is
// dt = lambda min_K dt_K. A lambda below 1 may lift many elements by one level; it and the number
// of levels are those of the least cost per simulated time,
//
//   (tick_cost + sum_K w_K 2^-level_K + face_cost sum_F 2^-level_F) / dt,
//
// w_K the cost of a step of element K, F the faces between levels and level_F the higher one of
// the two.
#pragma once

#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "time/pass_cost.h"

#include <stdint.h>

// What a pass of an element costs, in units of a plain element's stage: sedge_pass_cost.
typedef double (*sedge_levels_cost)(const sedge_integrator *integrator, int order,
                                    sedge_pass_kind kind, int words);

typedef struct sedge_levels_options {
    double cfl;             // of each element's step, as in sedge_problem_time_step
    int most;               // levels at most, 1 to SEDGE_LEVELS_MAX
    int threads;            // of this rank
    double tick_cost;       // of a tick, whatever its elements
    double face_cost;       // of a face between levels, in a step of the higher one
    sedge_levels_cost cost; // of an element's step; all in the same unit
} sedge_levels_options;

typedef struct sedge_levels {
    uint8_t *level; // [elements] of this rank
    int levels;     // 1: all elements take steps of `dt`
    double dt;      // of level 0
    // Of the whole mesh: elements of each level, and how many times more steps of elements the same
    // time takes if all elements have the least stable step.
    int64_t count[SEDGE_LEVELS_MAX];
    double gain;
    double cost; // per code time, as above
    double path; // sedge_mesh_measure_path of the ranks' parts; sedge_levels_choose leaves it 0
} sedge_levels;

// More levels than needed are not worth their long macro steps: of the numbers of levels whose cost
// is within this part of the least one the smallest is taken.
#define SEDGE_LEVELS_WORTH 0.01

// Choose the levels of all elements. The result does not depend on the number of ranks. The wave
// speed is not 0 everywhere. SEDGE_ERR_MEMORY on all ranks. The caller clears `out` in any case.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_choose(sedge_levels *out, const sedge_comm *comm,
                                 const sedge_problem *problem, const sedge_mesh *mesh,
                                 const sedge_levels_options *options);
void sedge_levels_clear(sedge_levels *levels);

// What a pass of all elements of the whole mesh costs. Does not depend on the number of ranks.
// Collective.
double sedge_levels_pass(const sedge_comm *comm, const sedge_problem *problem,
                         const sedge_mesh *mesh, sedge_levels_cost cost);

// work [elements of this rank]: what a step of each costs, in eighths of a plain element's; at
// least 1, at most SEDGE_MESH_WORK. Not collective.
void sedge_levels_weigh(uint16_t *work, const sedge_problem *problem, const sedge_mesh *mesh,
                        sedge_levels_cost cost);

// A lower bound of that cost, found in a fraction of the time: without ticks and faces between
// levels, and as if each element could have its own step. Does not depend on the number of ranks.
// The wave speed is not 0 everywhere. SEDGE_ERR_MEMORY on all ranks. Collective.
SEDGE_MUST_USE
sedge_status sedge_levels_least_cost(double *cost, const sedge_comm *comm,
                                     const sedge_problem *problem, const sedge_mesh *mesh,
                                     const sedge_levels_options *options);

// Steps that elements take in a macro step, in the mean: 1 with one level.
double sedge_levels_work(const sedge_levels *levels);
