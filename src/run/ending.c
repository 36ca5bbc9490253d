#include "run/ending.h"

#include "dg/response.h"
#include "monitor/sampling.h"

#include <math.h>

#define WINDOW_PERIODS   10.0 // of the highest frequency, and
#define WINDOW_CROSSINGS 2.0  // of the mesh: spectra are compared after the longer one of these

// How long the slowest wave takes along the diagonal of the mesh, without absorbing layers.
static double find_transit(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const double(*const bounds)[3] = sedge_mesh_inner_bounds(session->mesh);
    double slowest = (double)INFINITY;
    double square = 0.0;

    for (int v = 0; v < problem->volumes; v++)
        slowest = fmin(slowest, sedge_response_slowest(problem, v));
    for (int i = 0; i < 3; i++)
        square += (bounds[1][i] - bounds[0][i]) * (bounds[1][i] - bounds[0][i]);
    return sqrt(square) / slowest;
}

// The time between comparisons of spectra, in steps.
static sedge_status find_window(int64_t *window, const sedge_session *session, double transit)
{
    const sedge_output_context context = sedge_session_output(session, 0, false);
    const double highest = sedge_sampling_highest(&context);

    if (!(highest > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: time.stop.spectra: no monitor has frequencies above 0: give "
                          "monitors.spectra, flux or far-field some, or monitors.ports, or remove "
                          "it",
                          session->deck->path);
    }
    *window =
        (int64_t)ceil(fmax(WINDOW_PERIODS / highest, WINDOW_CROSSINGS * transit) / session->dt);
    return SEDGE_OK;
}

sedge_status sedge_ending_find(sedge_ending *ending, const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_deck *const deck = session->deck;

    *ending = (sedge_ending){.earliest = (double)INFINITY};
    if (deck->stop_energy <= 0.0 && deck->stop_spectra <= 0.0) return SEDGE_OK;
    const double transit = find_transit(session);
    if (deck->stop_spectra > 0.0) SEDGE_TRY(find_window(&ending->window, session, transit));
    if (problem->equation->quiet != NULL)
        ending->earliest = problem->equation->quiet(problem, session->mesh->bounds);
    ending->earliest += transit;
    if (isfinite(ending->earliest)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: time.stop: the sources do not end, or a medium has gain, so the energy "
                      "may always grow again: remove time.stop",
                      deck->path);
}
