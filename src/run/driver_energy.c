// The energy of a run: samples, and whether it is still that of a right run.
#include "driver_run.h"

#include "run/monitor.h"

#include <math.h>
#include <string.h>

// What the sources can have made of the energy that this run began with.
static double fed_limit(const driver_run *run, int64_t step)
{
    return sedge_growth_limit(&run->growth, run->energy_base,
                              sedge_session_time(&run->session, step) - run->energy_origin);
}

double driver_energy_bound(const driver_run *run, int64_t step)
{
    return sedge_growth_bound(&run->growth, run->energy_base,
                              sedge_session_time(&run->session, step) - run->energy_origin);
}

// The energy now, as sum and in run->energy; a failure if it is not a number.
static sedge_status measure(driver_run *run, int64_t step, double *sum)
{
    const sedge_session *const session = &run->session;

    SEDGE_TRY(sedge_comm_agree(session->comm, sedge_evolution_energy(run->evolution, run->energy)));
    SEDGE_TRY(sedge_monitor_check(session, run->energy, run->energy_before,
                                  sedge_session_time(session, step), step, run->history,
                                  run->samples));
    *sum = sedge_monitor_sum(session, run->energy);
    if (!run->energy_begun) {
        run->energy_begun = true;
        run->energy_base = fmin(*sum, run->energy_bound); // no restart raises the limit
        run->energy_origin = sedge_session_time(session, step);
    }
    return SEDGE_OK;
}

// The next sample of the series, and what is remembered of it.
static sedge_status add_sample(driver_run *run, int64_t step, double energy)
{
    if (run->samples == SEDGE_HISTORY) {
        memmove(run->history, run->history + 1, (SEDGE_HISTORY - 1) * sizeof(double));
        run->samples--;
    }
    run->history[run->samples++] = energy * sedge_deck_energy_unit(run->session.deck);
    run->energy_last = energy;
    run->energy_peak = fmax(run->energy_peak, energy);
    return sedge_output_energy(run->output, sedge_session_time(&run->session, step), step, energy);
}

// A failure if `energy`, the sum of run->energy, is more than the run can have.
static sedge_status check_growth(driver_run *run, int64_t step, double energy)
{
    const double time = sedge_session_time(&run->session, step);
    const double fed = fed_limit(run, step);
    const double limit = fmin(run->energy_limit, fed);
    const char *const what = run->energy_limit <= fed
                                 ? "the energy grows though no source feeds it"
                                 : "the energy grows beyond all that can feed it";

    if (!(energy > limit)) return SEDGE_OK;
    return sedge_monitor_growth(&run->session, what, run->energy, run->energy_before, limit, time,
                                step, run->history, run->samples);
}

sedge_status driver_sample_energy(driver_run *run, int64_t step)
{
    double energy;

    SEDGE_TRY(measure(run, step, &energy));
    if (step == 0) run->energy_initial = energy;
    SEDGE_TRY(add_sample(run, step, energy));
    SEDGE_TRY(check_growth(run, step, energy));
    double *const older = run->energy_before;
    run->energy_before = run->energy;
    run->energy = older;
    if (sedge_session_time(&run->session, step) >= run->quiet && isinf(run->energy_limit))
        run->energy_limit = sedge_monitor_limit(energy, run->energy_peak);
    return SEDGE_OK;
}

sedge_status driver_check_energy(driver_run *run, int64_t step)
{
    double energy;

    SEDGE_TRY(measure(run, step, &energy));
    if (!(energy > fmin(run->energy_limit, fed_limit(run, step)))) return SEDGE_OK;
    SEDGE_TRY(add_sample(run, step, energy)); // the last one, and the one that tells
    return check_growth(run, step, energy);
}
