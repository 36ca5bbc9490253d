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

// The energy now; a failure if it is not a number.
static sedge_status measure(driver_run *run, double *sum)
{
    const sedge_session *const session = &run->session;
    const double time = sedge_sample_time(run->sample);
    const double *energies;

    SEDGE_TRY(sedge_sample_energies(run->sample, &energies));
    SEDGE_TRY(sedge_blowup_check(session, energies, run->energy_before, time, run->step,
                                 run->history, run->samples));
    SEDGE_TRY(sedge_sample_energy(run->sample, sum));
    if (!run->energy_begun) {
        run->energy_begun = true;
        run->energy_base = fmin(*sum, run->energy_bound); // no restart raises the limit
        run->energy_origin = time;
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
    const double fed = fed_limit(run, run->step);
    const double limit = fmin(run->energy_limit, fed);
    const char *const what = run->energy_limit <= fed
                                 ? "the energy grows though no source feeds it"
                                 : "the energy grows beyond all that can feed it";
    const double *energies;

    if (!(energy > limit)) return SEDGE_OK;
    SEDGE_TRY(sedge_sample_energies(run->sample, &energies));
    return sedge_blowup_grown(&run->session, what, energies, run->energy_before, limit,
                              sedge_sample_time(run->sample), run->step, run->history,
                              run->samples);
}

sedge_status driver_follow_energy(driver_run *run)
{
    const double *energies;
    double energy;

    SEDGE_TRY(measure(run, &energy));
    if (run->step == 0) run->energy_initial = energy;
    remember(run, energy);
    SEDGE_TRY(check_growth(run, energy));
    SEDGE_TRY(sedge_sample_energies(run->sample, &energies));
    memcpy(run->energy_before, energies,
           (size_t)run->session.mesh->elements * sizeof *run->energy_before);
    if (sedge_sample_time(run->sample) >= run->quiet && isinf(run->energy_limit))
        run->energy_limit = sedge_blowup_limit(energy, run->energy_peak);
    return SEDGE_OK;
}

sedge_status driver_check_energy(driver_run *run)
{
    double energy;

    SEDGE_TRY(measure(run, &energy));
    if (!(energy > fmin(run->energy_limit, fed_limit(run, run->step)))) return SEDGE_OK;
    remember(run, energy); // the last one, and the one that tells
    return check_growth(run, energy);
}
