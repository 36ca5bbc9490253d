#include "evolve/evolution.h"

#include "base/memory.h"
#include "evolve/blocks.h"
#include "evolve/energy.h"
#include "evolve/graphs.h"
#include "evolve/stages.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/stage.h"
#include "operator/upload.h"

#define SAMPLE_EVERY 50 // steps between those whose launches are timed
#define SAMPLE_FIRST 2  // the first of them: the caches are warm

struct sedge_evolution {
    sedge_operator *op;
    sedge_cache *cache;
    operator_fields fields;
    bool time_kernels;  // in each step
    bool launch_singly; // never a step as a graph
    int64_t steps;
    evolve_blocks *blocks;
    evolve_stages *stages;
    evolve_graphs *graphs;
    evolve_energy *energy;
};

sedge_status sedge_evolution_create(sedge_evolution **out, const sedge_comm *comm,
                                    sedge_device *device, sedge_cache *cache,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem,
                                    const sedge_operator_options *options)
{
    sedge_status status;
    sedge_evolution *evolution = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_allocate(&evolution, 1, sizeof *evolution)));
    evolution->cache = cache;
    evolution->time_kernels = options->time_kernels;
    evolution->launch_singly = options->launch_singly;
    SEDGE_TRY_GOTO(status, sedge_operator_create(&evolution->op, comm, device, cache, element, mesh,
                                                 problem, options));
    sedge_stopwatch_begin(options->watch, "state: device memory");
    SEDGE_TRY_GOTO(status, sedge_comm_agree(
                               comm, operator_fields_create(&evolution->fields, device,
                                                            operator_fields_bytes(evolution->op))));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, evolve_blocks_create(&evolution->blocks, evolution->op,
                                                               &evolution->fields)));
    SEDGE_TRY_GOTO(status,
                   evolve_stages_create(&evolution->stages, evolution->op, &evolution->fields));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(
                               comm, evolve_graphs_create(&evolution->graphs, evolution->op,
                                                          &evolution->fields, evolution->stages)));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, evolve_energy_create(&evolution->energy, evolution->op)));
    *out = evolution;
    evolution = NULL;
done:
    sedge_evolution_free(evolution);
    return status;
}

void sedge_evolution_free(sedge_evolution *evolution)
{
    if (evolution == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    if (evolution->op != NULL) (void)!operator_wait(evolution->op);
    evolve_graphs_free(evolution->graphs);
    evolve_stages_free(evolution->stages);
    evolve_blocks_free(evolution->blocks);
    evolve_energy_free(evolution->energy);
    operator_fields_clear(&evolution->fields);
    sedge_operator_free(evolution->op);
    sedge_release(evolution);
}

sedge_operator *sedge_evolution_operator(const sedge_evolution *evolution)
{
    return evolution->op;
}

sedge_cache *sedge_evolution_cache(const sedge_evolution *evolution)
{
    return evolution->cache;
}

const operator_fields *sedge_evolution_fields(const sedge_evolution *evolution)
{
    return &evolution->fields;
}

const evolve_blocks *sedge_evolution_state_blocks(const sedge_evolution *evolution)
{
    return evolution->blocks;
}

// ---- the state ---------------------------------------------------------------------------------

static const evolve_block *find_block(const sedge_evolution *evolution, int i)
{
    return evolve_blocks_get(evolution->blocks, i);
}

sedge_basis sedge_evolution_basis(const sedge_evolution *evolution)
{
    return operator_view_basis(evolution->op);
}

sedge_status sedge_evolution_set(sedge_evolution *evolution, const double *u)
{
    return sedge_evolution_set_block(evolution, 0, SEDGE_NODAL, u);
}

sedge_status sedge_evolution_get(sedge_evolution *evolution, double *u)
{
    return sedge_evolution_get_block(evolution, 0, SEDGE_NODAL, u);
}

int sedge_evolution_blocks(const sedge_evolution *evolution)
{
    return evolve_blocks_count(evolution->blocks);
}

const sedge_block *sedge_evolution_block(const sedge_evolution *evolution, int i)
{
    return &find_block(evolution, i)->shown;
}

sedge_status sedge_evolution_set_block(sedge_evolution *evolution, int i, sedge_basis basis,
                                       const double *values)
{
    return evolve_block_set(evolution->op, &evolution->fields, find_block(evolution, i), basis,
                            values);
}

sedge_status sedge_evolution_get_block(sedge_evolution *evolution, int i, sedge_basis basis,
                                       double *values)
{
    return evolve_block_get(evolution->op, &evolution->fields, find_block(evolution, i), basis,
                            values);
}

// ---- steps -------------------------------------------------------------------------------------

static sedge_status set_clock(sedge_operator *op, const operator_fields *fields, double t)
{
    uint64_t clock = sedge_buffer_address(fields->clock);
    void *const arguments[] = {&clock, &t};

    return operator_launch(&op->launcher, KERNEL_CLOCK, op->main, 1, SEDGE_TRACE_THREADS, arguments,
                           2);
}

sedge_status sedge_evolution_step(sedge_evolution *evolution, double t, double dt)
{
    sedge_operator *const op = evolution->op;
    const bool timed = evolution->time_kernels || evolution->steps % SAMPLE_EVERY == SAMPLE_FIRST;
    const bool singly = timed || evolution->launch_singly || sedge_operator_waits(op) ||
                        !sedge_device_get_info(op->device)->graphs;

    if (timed) SEDGE_TRY(operator_begin_sampling(&op->launcher));
    SEDGE_TRY(evolve_stages_prepare(evolution->stages, dt));
    SEDGE_TRY(set_clock(op, &evolution->fields, t));
    SEDGE_TRY(singly ? evolve_stages_run(evolution->stages, dt)
                     : evolve_graphs_launch(evolution->graphs, dt));
    operator_end_sampling(&op->launcher);
    evolution->steps++;
    return SEDGE_OK;
}

sedge_status sedge_evolution_wait(sedge_evolution *evolution)
{
    return operator_wait(evolution->op);
}

int sedge_evolution_recorded(const sedge_evolution *evolution, int turn[2])
{
    return evolve_graphs_recorded(evolution->graphs, turn);
}

// ---- samples -----------------------------------------------------------------------------------

sedge_status sedge_evolution_energy(sedge_evolution *evolution, double *energy)
{
    SEDGE_TRY(sedge_evolution_begin_energy(evolution));
    return sedge_evolution_get_energies(evolution, false, energy);
}

sedge_status sedge_evolution_begin_energy(sedge_evolution *evolution)
{
    return evolve_energy_begin(evolution->energy, &evolution->fields);
}

sedge_status sedge_evolution_end_energy(sedge_evolution *evolution, sedge_energy_sum *sum)
{
    return evolve_energy_end(evolution->energy, sum);
}

void sedge_evolution_keep_energies(sedge_evolution *evolution)
{
    evolve_energy_keep(evolution->energy);
}

sedge_status sedge_evolution_get_energies(sedge_evolution *evolution, bool kept, double *energies)
{
    return evolve_energy_get(evolution->energy, kept, energies);
}
