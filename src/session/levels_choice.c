#include "session/levels_choice.h"

#include "base/memory.h"
#include "device/cpu.h"

#include <math.h>
#include <stdio.h>

static bool has_levels(const sedge_session *session)
{
    return session->deck->levels > 1 && session->problem.integrator->levels;
}

static sedge_status choose(sedge_session *session)
{
    const sedge_levels_options options = {
        .cfl = session->deck->cfl,
        .most = session->deck->levels,
        .threads = sedge_cpu_share(sedge_comm_node_size(session->comm)),
    };
    sedge_levels *const levels = &session->levels;

    SEDGE_TRY(
        sedge_levels_choose(levels, session->comm, &session->problem, session->mesh, &options));
    if (levels->levels > 1)
        SEDGE_TRY(sedge_mesh_set_levels(session->mesh, session->comm, levels->level));
    sedge_release(levels->level);
    levels->level = NULL; // by numbers that the elements no longer have
    return SEDGE_OK;
}

sedge_status sedge_levels_apply(sedge_session *session)
{
    if (has_levels(session)) SEDGE_TRY(choose(session));
    if (session->levels.levels <= 1) {
        session->levels = (sedge_levels){.levels = 1, .dt = session->stable_dt, .gain = 1.0};
        session->levels.count[0] = session->mesh->global_elements;
    }
    session->stable_dt = ldexp(session->levels.dt, session->levels.levels - 1);
    return SEDGE_OK;
}

void sedge_levels_print(const sedge_session *session)
{
    const sedge_levels *const levels = &session->levels;
    const double all = (double)session->mesh->global_elements;
    const double second = sedge_deck_time_unit(session->deck);
    const char *const unit = session->deck->si ? " s" : "";

    if (!has_levels(session)) return;
    if (levels->levels == 1) {
        printf("  levels             one step for all elements: local time steps would not pay\n");
        return;
    }
    printf("  levels             %d; work of one step for all elements: %.2f times\n",
           levels->levels, levels->gain);
    for (int l = 0; l < levels->levels; l++) {
        const double step = ldexp(session->dt, l + 1 - levels->levels);
        printf("    level %-2d         steps of %.6g%s: %lld elements, %.3g %%\n", l, step * second,
               unit, (long long)levels->count[l], 100.0 * (double)levels->count[l] / all);
    }
}
