#include "integrator.h"

sedge_stage sedge_integrator_stage(const sedge_integrator *integrator, int stage, double dt)
{
    return (sedge_stage){.a = integrator->a[stage],
                         .b = integrator->b[stage],
                         .delay = integrator->c[stage] * dt,
                         .dt = dt};
}
