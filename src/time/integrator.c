#include "integrator.h"

#include <complex.h>

sedge_stage sedge_integrator_stage(const sedge_integrator *integrator, int stage, double dt)
{
    return (sedge_stage){.a = integrator->a[stage],
                         .b = integrator->b[stage],
                         .delay = integrator->c[stage] * dt,
                         .dt = dt};
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
