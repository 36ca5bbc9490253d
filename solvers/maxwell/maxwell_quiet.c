// When the energy cannot grow any more.
#include "maxwell.h"

#include <math.h>

// From when on a signal is nothing.
static double signal_end(const double *signal)
{
    const sedge_signal_kind *const kind = sedge_signal_kind_of(signal);

    return kind->end != NULL ? kind->end(signal) : HUGE_VAL;
}

// How long an incident wave with parameters `p` takes at most from its origin to the corner of the
// box that it reaches last: in the slowest of the materials, or, where the origin lies behind that
// corner and the time is negative, in the fastest.
static double travel_time(const sedge_problem *problem, const double *p, double bounds[2][3])
{
    const double *const k = p + WAVE_DIRECTION;
    const double length = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    double slowest = HUGE_VAL;
    double fastest = 0.0;
    double path = 0.0;

    for (int v = 0; v < problem->volumes; v++) {
        const double *const m = problem->materials[v];
        const double speed = sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
        slowest = fmin(slowest, speed);
        fastest = fmax(fastest, speed);
    }

    for (int i = 0; i < 3; i++) {
        const double x = k[i] > 0.0 ? bounds[1][i] : bounds[0][i];
        path += (x - p[WAVE_ORIGIN + i]) * k[i] / length;
    }
    return fmax(path / slowest, path / fastest);
}

double maxwell_quiet(const sedge_problem *problem, double bounds[2][3])
{
    double end = 0.0;

    for (int v = 0; v < problem->volumes; v++)
        if (problem->materials[v][MAXWELL_DECAY] < 0.0) return HUGE_VAL;
    for (int i = 0; i < problem->point_source_count; i++)
        end = fmax(end, signal_end(problem->point_sources[i].signal));
    for (int i = 0; i < problem->surface_source_count; i++) {
        const sedge_surface_source *const source = &problem->surface_sources[i];
        end = fmax(end, signal_end(sedge_source_signal(source->kind, source->parameters, NULL)));
    }
    for (int i = 0; i < problem->incident_count; i++) {
        const double *const p = problem->incidents[i].parameters;
        end = fmax(end, signal_end(p + WAVE_SIGNAL) + travel_time(problem, p, bounds));
    }
    return end;
}
