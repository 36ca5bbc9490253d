#include "evolve/local_steps.h"

#include "base/memory.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/stage.h"

#include <math.h>

struct evolve_local_steps {
    sedge_operator *op;
    operator_fields *fields;
    const evolve_point_sources *point_sources;
    const evolve_exponential *exponential;
    operator_term_memory *memory; // [terms] of curved elements; that of straight ones the
                                  // prediction has taken to the step's end
};

sedge_status evolve_local_steps_create(evolve_local_steps **out, sedge_operator *op,
                                       operator_fields *fields,
                                       const evolve_point_sources *point_sources,
                                       const evolve_exponential *exponential)
{
    *out = NULL;
    if (!op->problem->integrator->predictor) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    **out = (evolve_local_steps){
        .op = op, .fields = fields, .point_sources = point_sources, .exponential = exponential};
    const sedge_status status =
        sedge_allocate(&(*out)->memory, op->terms.count, sizeof *(*out)->memory);
    if (status == SEDGE_OK) return SEDGE_OK;
    evolve_local_steps_free(*out);
    *out = NULL;
    return status;
}

void evolve_local_steps_free(evolve_local_steps *steps)
{
    if (steps == NULL) return;
    sedge_release(steps->memory);
    sedge_release(steps);
}

// What a stage takes: the means in place of the state, and the state in place of the residual.
static operator_fields exchange_roles(evolve_local_steps *steps)
{
    operator_fields means = *steps->fields;

    means.u[0] = steps->fields->residual;
    means.residual = steps->fields->u[0];
    for (int i = 0; i < steps->op->terms.count; i++) {
        steps->memory[i] = (operator_term_memory){.now = steps->op->predictor.bracket[i].w[0],
                                                  .residual = steps->fields->memory[i].now};
    }
    means.memory = steps->memory;
    return means;
}

// The greatest level whose steps are whole at this number of the finest's steps.
static int find_level(int tick, int levels)
{
    int level = 0;

    while (level < levels - 1 && tick % (2 << level) == 0) level++;
    return level;
}

sedge_status evolve_local_steps_run(evolve_local_steps *steps, double dt)
{
    sedge_operator *const op = steps->op;
    const int levels = op->mesh->levels;
    const int ticks = 1 << (levels - 1);
    const double shortest = ldexp(dt, 1 - levels);

    for (int tick = 0; tick < ticks; tick++) {
        const operator_fields means = exchange_roles(steps);
        const operator_levels now = {.ended = find_level(tick + 1, levels),
                                     .started = find_level(tick, levels)};
        sedge_stage stage = sedge_integrator_stage(op->problem->integrator, 8, 0, shortest);
        stage.delay = tick * shortest;
        SEDGE_TRY(evolve_exponential_step(steps->exponential, steps->fields, false, now.started));
        SEDGE_TRY(operator_predict(op, steps->fields, now.started, shortest));
        SEDGE_TRY(evolve_point_sources_predict(steps->point_sources, &means, &stage, now.started));
        SEDGE_TRY(operator_run_stage(op, &means, &stage, now));
        SEDGE_TRY(evolve_point_sources_step(steps->point_sources, &means, &stage, now.ended));
        SEDGE_TRY(evolve_exponential_step(steps->exponential, steps->fields, true, now.ended));
    }
    return SEDGE_OK;
}
