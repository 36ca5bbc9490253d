#include "driver_run.h"

#include <math.h>
#include <stdio.h>

sedge_status driver_listen(driver_run *run)
{
    const sedge_session *const session = &run->session;

    sedge_stop_listen();
    SEDGE_TRY(sedge_stop_create(&run->stop, session->comm, run->start, session->deck->wall));
    const double left = sedge_stop_left(run->stop);
    if (isfinite(left) && sedge_comm_is_root(session->comm) && !session->options->quiet) {
        printf("  limit              %.0f s from now (%s): it stops before with a checkpoint\n",
               fmax(left, 0.0), session->deck->wall > 0.0 ? "time.wall" : "Slurm's");
    }
    return SEDGE_OK;
}

bool driver_is_pressed(const driver_run *run)
{
    int64_t pending = sedge_stop_pending(run->stop);

    sedge_comm_max_int(run->session.comm, &pending, 1);
    return pending != 0;
}

sedge_status driver_stop(driver_run *run)
{
    const sedge_session *const session = &run->session;

    SEDGE_TRY(driver_end_energy(run));
    SEDGE_TRY(sedge_monitors_flush(run->monitors));
    SEDGE_TRY(sedge_monitors_settle(run->monitors, SEDGE_SETTLE_ALL));
    if (run->last_checkpoint != run->step) SEDGE_TRY(driver_write_checkpoint(run, run->step));
    SEDGE_TRY(driver_complete_checkpoint(run, true));
    return SEDGE_FAIL(
        SEDGE_ERR_STOPPED,
        "stopped by %s after step %lld of %lld, t = %.6g%s, with a checkpoint in '%s'; "
        "the same command with --restart auto goes on",
        sedge_stop_reason(run->stop), (long long)run->step, (long long)session->steps,
        sedge_session_time(session, run->step) * sedge_deck_time_unit(session->deck),
        sedge_deck_unit(session->deck, SEDGE_TIME), session->deck->output);
}
