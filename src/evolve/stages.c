#include "evolve/stages.h"

#include "base/memory.h"
#include "evolve/exponential.h"
#include "evolve/local_steps.h"
#include "evolve/point_sources.h"
#include "operator/fields.h"
#include "operator/parts.h"
#include "operator/stage.h"

struct evolve_stages {
    sedge_operator *op;
    operator_fields *fields;
    evolve_point_sources *point_sources;
    evolve_exponential *exponential;
    evolve_local_steps *local_steps; // of integrators with `predictor`
};

sedge_status evolve_stages_create(evolve_stages **out, sedge_operator *op, operator_fields *fields)
{
    sedge_status status;
    evolve_stages *stages = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, sedge_allocate(&stages, 1, sizeof *stages)));
    stages->op = op;
    stages->fields = fields;
    SEDGE_TRY_GOTO(status, evolve_point_sources_create(&stages->point_sources, op));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(op->comm, evolve_exponential_create(&stages->exponential, op)));
    SEDGE_TRY_GOTO(
        status, sedge_comm_agree(op->comm, evolve_local_steps_create(&stages->local_steps, op,
                                                                     fields, stages->point_sources,
                                                                     stages->exponential)));
    *out = stages;
    stages = NULL;
done:
    evolve_stages_free(stages);
    return status;
}

void evolve_stages_free(evolve_stages *stages)
{
    if (stages == NULL) return;
    evolve_point_sources_free(stages->point_sources);
    evolve_exponential_free(stages->exponential);
    evolve_local_steps_free(stages->local_steps);
    sedge_release(stages);
}

sedge_status evolve_stages_prepare(evolve_stages *stages, double dt)
{
    return evolve_exponential_prepare(stages->exponential, dt);
}

int evolve_stages_count(const evolve_stages *stages)
{
    const sedge_integrator *const integrator = stages->op->problem->integrator;

    return integrator->predictor ? 1 << (stages->op->mesh->levels - 1) : integrator->stages;
}

sedge_status evolve_stages_run(evolve_stages *stages, double dt)
{
    operator_fields *const fields = stages->fields;
    const sedge_integrator *const integrator = stages->op->problem->integrator;

    if (integrator->predictor) return evolve_local_steps_run(stages->local_steps, dt);
    const bool finds = sedge_problem_finds(stages->op->problem);
    const int real_bytes = stages->op->layout.real_bytes;
    const bool alone = // no other work between stages
        !evolve_point_sources_present(stages->point_sources) && finds;
    for (int s = 0; s < integrator->stages; s++) {
        const sedge_stage stage = finds ? sedge_integrator_stage(integrator, real_bytes, s, dt)
                                        : sedge_integrator_stage_kept(integrator, s, dt);
        const operator_levels all = {.follows = alone && s > 0};
        SEDGE_TRY(operator_run_stage(stages->op, fields, &stage, all));
        SEDGE_TRY(evolve_point_sources_add(stages->point_sources, fields, &stage));
        SEDGE_TRY(evolve_exponential_run(stages->exponential, fields, s));
        operator_fields_swap(fields);
    }
    return SEDGE_OK;
}
