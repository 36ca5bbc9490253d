#include "integrator.h"

#include <complex.h>
#include <math.h>

// Of the factor by which a state's rounding enters a later one, in single and double precision.
#define FOUND_MOST        4.0
#define FOUND_MOST_DOUBLE 1000.0

sedge_stage sedge_integrator_stage_kept(const sedge_integrator *integrator, int stage, double dt)
{
    return (sedge_stage){.a = integrator->a[stage],
                         .b = integrator->b[stage],
                         .delay = integrator->c[stage] * dt,
                         .dt = dt,
                         .back = true};
}

// Whether stage s finds the residual of the one before: r = (u - u_before) / b has the states'
// rounding. It enters u by a b, and later ones by the a of all stages between and their b.
static bool is_found(const sedge_integrator *integrator, int real_bytes, int s)
{
    const double most = real_bytes == 8 ? FOUND_MOST_DOUBLE : FOUND_MOST;

    if (s == 0) return false;
    double part = 1.0 / integrator->b[s - 1];
    for (int t = s; t < integrator->stages; t++) {
        part *= integrator->a[t];
        if (fabs(part * integrator->b[t]) > most) return false;
    }
    return true;
}

sedge_stage sedge_integrator_stage(const sedge_integrator *integrator, int real_bytes, int stage,
                                   double dt)
{
    sedge_stage out = sedge_integrator_stage_kept(integrator, stage, dt);
    const bool last = stage == integrator->stages - 1;

    if (integrator->predictor) return out; // the state stands in place of the residual
    if (is_found(integrator, real_bytes, stage)) out.found = 1.0 / integrator->b[stage - 1];
    out.drops = last || is_found(integrator, real_bytes, stage + 1);
    out.turned = stage % 2 == 1;
    out.back = last && !out.turned;
    return out;
}

double sedge_integrator_states(const sedge_integrator *integrator, int real_bytes, bool kept)
{
    double states = 0.0;

    for (int s = 0; s < integrator->stages; s++) {
        const sedge_stage stage = kept ? sedge_integrator_stage_kept(integrator, s, 1.0)
                                       : sedge_integrator_stage(integrator, real_bytes, s, 1.0);
        states += 1.0 + (stage.a != 0.0) + (stage.b != 0.0) + !stage.drops;
    }
    return states / integrator->stages;
}

bool sedge_integrator_keeps(const sedge_integrator *integrator, int real_bytes)
{
    for (int s = 1; s < integrator->stages; s++)
        if (!is_found(integrator, real_bytes, s)) return true;
    return false;
}

double sedge_integrator_error(const sedge_integrator *integrator, double angle)
{
    const double complex z = angle * (double complex)I;
    double complex residual = 0.0, y = 1.0;

    for (int s = 0; s < integrator->stages; s++) {
        residual = integrator->a[s] * residual + z * y;
        y += integrator->b[s] * residual;
    }
    return cabs(y * cexp(-z) - 1.0);
}
