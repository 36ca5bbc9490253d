// The end of a run by itself: the fields have gone, or their spectra have settled.
#include "driver_run.h"

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
    if (!(sedge_session_time(&run->session, checked) >= run->ending.earliest)) return;
    end(run, "time.stop.energy");
}

sedge_status driver_end_settled(driver_run *run, bool measure)
{
    const double limit = run->session.deck->stop_spectra;

    if (limit <= 0.0 || run->step == 0) return SEDGE_OK;
    const bool whole = run->step % run->ending.window == 0;
    if (measure && !whole) return SEDGE_OK;
    SEDGE_TRY(sedge_monitors_compare(run->monitors, run->ending.window, measure, &run->remains));
    if (!whole || run->ended_by != NULL || !(run->remains < limit)) return SEDGE_OK;
    if (sedge_session_time(&run->session, run->step) >= run->ending.earliest)
        end(run, "time.stop.spectra");
    return SEDGE_OK;
}
