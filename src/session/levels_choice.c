#include "session/levels_choice.h"

#include "base/memory.h"
#include "device/cpu.h"
#include "device/device.h"
#include "session/integrator_choice.h"
#include "time/pass_cost.h"

#include <math.h>
#include <stdio.h>

static bool has_levels(const sedge_deck *deck, const sedge_problem *problem)
{
    return deck->levels > 1 && problem->integrator->predictor;
}

double sedge_levels_launch(const sedge_comm *comm, const sedge_deck *deck,
                           const sedge_problem *problem)
{
    const double nodes =
        (problem->order + 1.0) * (problem->order + 2.0) * (problem->order + 3.0) / 6.0;
    double launch = 0.0;

    // Nodes may see other devices.
    if (sedge_comm_is_root(comm))
        launch = sedge_traits_expected(deck->device)->launch_nodes / nodes;
    sedge_comm_broadcast(comm, &launch, sizeof launch, 0);
    return problem->precision == SEDGE_FP64 ? 0.5 * launch : launch;
}

sedge_levels_options sedge_levels_plan(const sedge_comm *comm, const sedge_deck *deck,
                                       const sedge_problem *problem, double launch)
{
    return (sedge_levels_options){
        .cfl = deck->cfl,
        .most = deck->levels,
        .threads = sedge_cpu_share(sedge_comm_node_size(comm)),
        .tick_cost = sedge_pass_launches(problem->integrator, problem->curved) * launch,
        .face_cost = sedge_pass_face(problem->order),
        .cost = sedge_pass_cost,
    };
}

sedge_status sedge_levels_find(sedge_levels *levels, const sedge_comm *comm, const sedge_deck *deck,
                               const sedge_problem *problem, const sedge_mesh *mesh, double launch)
{
    const double every = deck->frequency_every > 0 ? deck->frequency_every : 1.0;
    const double frequency = sedge_integrator_frequency(deck, problem);
    // For an integrator that the deck names, a number of levels is what the user wants, whatever a
    // launch costs. Faces between levels cost what they do.
    const bool by_rule = deck->levels == SEDGE_LEVELS_MAX || deck->integrator == NULL;
    sedge_levels_options options = sedge_levels_plan(comm, deck, problem, by_rule ? launch : 0.0);

    for (;;) {
        SEDGE_TRY(sedge_levels_choose(levels, comm, problem, mesh, &options));
        const double macro = ldexp(levels->dt, levels->levels - 1);
        if (!by_rule || levels->levels == 1 ||
            every * macro * frequency * SEDGE_SAMPLES_A_PERIOD <= 1.0 + 1e-9)
            return SEDGE_OK;
        options.most = levels->levels - 1;
        sedge_levels_clear(levels);
    }
}

// What a step of each element of this rank costs; to be released by the caller. Collective.
static sedge_status weigh(uint16_t **work, const sedge_comm *comm, const sedge_problem *problem,
                          const sedge_mesh *mesh)
{
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(work, mesh->elements, sizeof **work)));
    sedge_levels_weigh(*work, problem, mesh, sedge_pass_cost);
    return SEDGE_OK;
}

// Each rank gets its share of the work of every level. Collective.
static sedge_status balance(sedge_levels *levels, const sedge_comm *comm,
                            const sedge_problem *problem, sedge_mesh *mesh,
                            const sedge_mesh_options *options)
{
    uint16_t *work = NULL;
    sedge_status status = SEDGE_OK;

    if (levels->level == NULL)
        status = sedge_allocate(&levels->level, mesh->elements, sizeof *levels->level);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, weigh(&work, comm, problem, mesh));
    SEDGE_TRY_GOTO(status, sedge_mesh_balance(mesh, &levels->level, work, comm, options));
    sedge_release(work);
    work = NULL; // the elements may be others now
    SEDGE_TRY_GOTO(status, weigh(&work, comm, problem, mesh));
    status = sedge_mesh_measure_path(&levels->path, mesh, comm, levels->level, work);
done:
    sedge_release(work);
    return status;
}

sedge_status sedge_levels_apply(sedge_levels *levels, double *stable_dt, const sedge_comm *comm,
                                const sedge_deck *deck, const sedge_problem *problem,
                                sedge_mesh *mesh, const sedge_mesh_options *mesh_options)
{
    if (has_levels(deck, problem)) {
        if (levels->level == NULL) {
            const double launch = sedge_levels_launch(comm, deck, problem);
            SEDGE_TRY(sedge_levels_find(levels, comm, deck, problem, mesh, launch));
        }
    }
    if (levels->levels <= 1) {
        const int64_t elements = mesh->global_elements;
        sedge_levels_clear(levels);
        *levels = (sedge_levels){
            .levels = 1, .dt = *stable_dt, .gain = 1.0, .count[0] = elements, .path = 1.0};
    }
    if (sedge_comm_size(comm) > 1) SEDGE_TRY(balance(levels, comm, problem, mesh, mesh_options));
    sedge_mesh_release_whole(mesh);
    if (levels->levels > 1) SEDGE_TRY(sedge_mesh_set_levels(mesh, comm, levels->level));
    sedge_release(levels->level);
    levels->level = NULL; // by numbers that the elements no longer have
    *stable_dt = ldexp(levels->dt, levels->levels - 1);
    return SEDGE_OK;
}

static void print_levels(const sedge_levels *levels, const sedge_deck *deck, double dt)
{
    const double second = sedge_deck_time_unit(deck);
    const char *const unit = deck->si ? " s" : "";
    double all = 0.0;

    printf("  levels             %d; work of one step for all elements: %.2f times\n",
           levels->levels, levels->gain);
    for (int l = 0; l < levels->levels; l++) all += (double)levels->count[l];
    for (int l = 0; l < levels->levels; l++) {
        const double step = ldexp(dt, l + 1 - levels->levels);
        printf("    level %-2d         steps of %.6g%s: %lld elements, %.3g %%\n", l, step * second,
               unit, (long long)levels->count[l], 100.0 * (double)levels->count[l] / all);
    }
}

void sedge_levels_print(const sedge_levels *levels, const sedge_deck *deck,
                        const sedge_problem *problem, double dt)
{
    if (levels->levels > 1) print_levels(levels, deck, dt);
    if (levels->levels == 1 && has_levels(deck, problem))
        printf("  levels             one step for all elements: more levels would not pay\n");
    if (levels->path > 1.005) {
        printf("  ranks              wait for the fullest: %.3g times the work of the mean\n",
               levels->path);
    }
}
