// The energy of a run: samples, and whether it is still that of a right run.
#include "driver_run.h"

#include "run/blowup.h"

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

sedge_status driver_fetch_energy_before(driver_run *run)
{
    sedge_status status = SEDGE_OK;

    if (run->energy_kept)
        status = run->source.get_energies(run->source.solver, true, run->energy_before);
    return sedge_comm_agree(run->session.comm, status);
}

// Energies of elements for a message: what was measured last, and what was kept before.
static sedge_status fetch_energies(driver_run *run)
{
    SEDGE_TRY(sedge_comm_agree(run->session.comm,
                               run->source.get_energies(run->source.solver, false, run->energies)));
    return driver_fetch_energy_before(run);
}

static double measured_time(const driver_run *run)
{
    return sedge_session_time(&run->session, run->energy_step);
}

static void begin(driver_run *run)
{
    const sedge_status status = sedge_sample_begin_energy(run->sample);

    if (status != SEDGE_OK) sedge_comm_end_alone(run->session.comm, status); // others go on
    run->energy_step = run->step;
}

// What was begun last; a failure if it is not a number.
static sedge_status finish(driver_run *run, double *sum)
{
    SEDGE_TRY(sedge_sample_end_energy(run->sample, sum));
    if (!isfinite(*sum)) {
        SEDGE_TRY(fetch_energies(run));
        SEDGE_TRY(sedge_blowup_check(&run->session, run->energies, run->energy_before,
                                     measured_time(run), run->energy_step, run->history,
                                     run->samples));
    }
    if (!run->energy_begun) {
        run->energy_begun = true;
        run->energy_base = fmin(*sum, run->energy_bound); // no restart raises the limit
        run->energy_origin = measured_time(run);
    }
    return SEDGE_OK;
}

static void remember(driver_run *run, double energy)
{
    if (run->samples == SEDGE_HISTORY) {
        memmove(run->history, run->history + 1, (SEDGE_HISTORY - 1) * sizeof(double));
        run->samples--;
    }
    run->history[run->samples++] = energy * sedge_deck_energy_unit(run->session.deck);
    run->energy_last = energy;
    run->energy_peak = fmax(run->energy_peak, energy);
}

// A failure if `energy` is more than the run can have.
static sedge_status check_growth(driver_run *run, double energy)
{
    const double fed = fed_limit(run, run->energy_step);
    const double limit = fmin(run->energy_limit, fed);
    const char *const what = run->energy_limit <= fed
                                 ? "the energy grows though no source feeds it"
                                 : "the energy grows beyond all that can feed it";

    if (!(energy > limit)) return SEDGE_OK;
    SEDGE_TRY(fetch_energies(run));
    return sedge_blowup_grown(&run->session, what, run->energies, run->energy_before, limit,
                              measured_time(run), run->energy_step, run->history, run->samples);
}

void driver_begin_energy(driver_run *run)
{
    begin(run);
    run->energy_pending = true;
}

sedge_status driver_end_energy(driver_run *run)
{
    double energy;

    if (!run->energy_pending) return SEDGE_OK;
    run->energy_pending = false;
    SEDGE_TRY(finish(run, &energy));
    if (run->energy_step == 0) run->energy_initial = energy;
    remember(run, energy);
    SEDGE_TRY(sedge_monitors_energy(run->monitors, run->energy_step, measured_time(run), energy));
    SEDGE_TRY(check_growth(run, energy));
    run->source.keep_energies(run->source.solver);
    run->energy_kept = true;
    if (measured_time(run) >= run->quiet && isinf(run->energy_limit)) {
        run->energy_limit = sedge_blowup_limit(energy, run->energy_peak,
                                               sedge_problem_has_layers(&run->session.problem));
    }
    return SEDGE_OK;
}

bool driver_needs_energy(const driver_run *run)
{
    const sedge_session *const session = &run->session;
    const bool may_end = session->deck->stop_energy > 0.0 &&
                         sedge_session_time(session, run->step) >= run->ending.earliest;

    return run->step == session->steps || may_end || sedge_monitors_due(run->monitors, run->step);
}

sedge_status driver_check_energy(driver_run *run)
{
    double energy;

    SEDGE_TRY(driver_end_energy(run));
    if (run->energy_kept && run->energy_step == run->step) return SEDGE_OK; // that was the check
    begin(run);
    SEDGE_TRY(finish(run, &energy));
    if (!(energy > fmin(run->energy_limit, fed_limit(run, run->step)))) return SEDGE_OK;
    remember(run, energy); // the last one, and the one that tells
    return check_growth(run, energy);
}
