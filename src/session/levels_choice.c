#include "session/levels_choice.h"

#include "base/memory.h"
#include "device/cpu.h"

#include <math.h>
#include <stdio.h>

static bool has_levels(const sedge_deck *deck, const sedge_problem *problem)
{
    return deck->levels > 1 && problem->integrator->predictor;
}

static sedge_status choose(sedge_levels *levels, const sedge_comm *comm, const sedge_deck *deck,
                           const sedge_problem *problem, sedge_mesh *mesh,
                           const sedge_mesh_options *mesh_options)
{
    const sedge_levels_options options = {
        .cfl = deck->cfl,
        .most = deck->levels,
        .threads = sedge_cpu_share(sedge_comm_node_size(comm)),
        // A number of levels is what the user wants, whatever a launch costs; 0: the default.
        .tick_seconds = deck->levels < SEDGE_LEVELS_MAX ? 1e-12 : 0.0,
    };

    SEDGE_TRY(sedge_levels_choose(levels, comm, problem, mesh, &options));
    if (levels->levels > 1) {
        SEDGE_TRY(sedge_mesh_balance(mesh, &levels->level, comm, mesh_options));
        SEDGE_TRY(sedge_mesh_measure_path(&levels->path, mesh, comm, levels->level));
        SEDGE_TRY(sedge_mesh_set_levels(mesh, comm, levels->level));
    }
    sedge_release(levels->level);
    levels->level = NULL; // by numbers that the elements no longer have
    return SEDGE_OK;
}

sedge_status sedge_levels_apply(sedge_levels *levels, double *stable_dt, const sedge_comm *comm,
                                const sedge_deck *deck, const sedge_problem *problem,
                                sedge_mesh *mesh, const sedge_mesh_options *mesh_options)
{
    if (has_levels(deck, problem))
        SEDGE_TRY(choose(levels, comm, deck, problem, mesh, mesh_options));
    sedge_mesh_release_whole(mesh);
    if (levels->levels <= 1) {
        *levels = (sedge_levels){.levels = 1, .dt = *stable_dt, .gain = 1.0};
        levels->count[0] = mesh->global_elements;
    }
    *stable_dt = ldexp(levels->dt, levels->levels - 1);
    return SEDGE_OK;
}

void sedge_levels_print(const sedge_levels *levels, const sedge_deck *deck,
                        const sedge_problem *problem, double dt)
{
    const double second = sedge_deck_time_unit(deck);
    const char *const unit = deck->si ? " s" : "";
    double all = 0.0;

    if (!has_levels(deck, problem)) return;
    if (levels->levels == 1) {
        printf("  levels             one step for all elements: local time steps would not pay\n");
        return;
    }
    printf("  levels             %d; work of one step for all elements: %.2f times\n",
           levels->levels, levels->gain);
    for (int l = 0; l < levels->levels; l++) all += (double)levels->count[l];
    for (int l = 0; l < levels->levels; l++) {
        const double step = ldexp(dt, l + 1 - levels->levels);
        printf("    level %-2d         steps of %.6g%s: %lld elements, %.3g %%\n", l, step * second,
               unit, (long long)levels->count[l], 100.0 * (double)levels->count[l] / all);
    }
    if (levels->path > 1.0) {
        printf("    ranks            wait for the fullest: %.3g times the work of the mean\n",
               levels->path);
    }
}
