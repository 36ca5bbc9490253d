// The end of a run by itself: the fields have gone, or their spectra have settled.
#include "driver_run.h"

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
static sedge_status find_window(driver_run *run, double transit)
{
    const sedge_deck *const deck = run->session.deck;
    double highest = 0.0;

    for (int i = 0; i < sedge_sampling_entries(deck); i++) {
        const sedge_deck_frequencies *const frequencies = sedge_sampling_frequencies(deck, i);
        for (int k = 0; k < frequencies->count; k++) highest = fmax(highest, frequencies->value[k]);
    }
    if (!(highest > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: time.stop.spectra: no monitor has frequencies above 0: give "
                          "monitors.spectra, flux or far-field some, or remove it",
                          deck->path);
    }
    run->remains = (double)INFINITY;
    run->window =
        (int64_t)ceil(fmax(WINDOW_PERIODS / highest, WINDOW_CROSSINGS * transit) / run->session.dt);
    return SEDGE_OK;
}

sedge_status driver_find_earliest(driver_run *run)
{
    const sedge_session *const session = &run->session;
    const sedge_problem *const problem = &session->problem;
    const sedge_deck *const deck = session->deck;

    run->earliest = (double)INFINITY;
    if (deck->stop_energy <= 0.0 && deck->stop_spectra <= 0.0) return SEDGE_OK;
    const double transit = find_transit(session);
    if (deck->stop_spectra > 0.0) SEDGE_TRY(find_window(run, transit));
    if (problem->equation->quiet != NULL)
        run->earliest = problem->equation->quiet(problem, session->mesh->bounds);
    run->earliest += transit;
    if (isfinite(run->earliest)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: time.stop: the sources do not end, or a medium has gain, so the energy "
                      "may always grow again: remove time.stop",
                      deck->path);
}

static void end(driver_run *run, const char *why)
{
    run->ended_by = why;
    run->session.steps = run->output.steps = run->step;
}

void driver_end_decayed(driver_run *run)
{
    const sedge_deck *const deck = run->session.deck;
    const int64_t checked = run->step - run->step % deck->energy_every;

    if (deck->stop_energy <= 0.0 || !(run->energy_peak > 0.0) || run->ended_by != NULL) return;
    if (run->energy_last > deck->stop_energy * run->energy_peak) return;
    if (!(sedge_session_time(&run->session, checked) >= run->earliest)) return;
    end(run, "time.stop.energy");
}

sedge_status driver_end_settled(driver_run *run, bool measure)
{
    const double limit = run->session.deck->stop_spectra;

    if (limit <= 0.0 || run->step == 0 || run->step % run->window != 0) return SEDGE_OK;
    SEDGE_TRY(sedge_monitors_compare(run->monitors, run->window, measure, &run->remains));
    if (run->ended_by != NULL || !(run->remains < limit)) return SEDGE_OK;
    if (sedge_session_time(&run->session, run->step) >= run->earliest)
        end(run, "time.stop.spectra");
    return SEDGE_OK;
}
