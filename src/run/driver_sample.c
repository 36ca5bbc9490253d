// What checks and monitors see of a run's state, and the run's monitors.
#include "driver_run.h"

#include "base/file.h"
#include "device/range.h"
#include "monitor/output_folder.h"
#include "session/source.h"

sedge_status driver_create_monitors(driver_run *run, struct json_t *memory, bool continues)
{
    sedge_session *const session = &run->session;

    run->source = sedge_session_source(run->evolution);
    run->output = sedge_session_output(session, run->step, continues);
    SEDGE_TRY(
        sedge_comm_agree(session->comm, sedge_sample_create(&run->sample, session->comm,
                                                            session->mesh, &run->source, run->u)));
    SEDGE_TRY(sedge_output_prepare_folder(&run->output));
    return sedge_monitors_create(&run->monitors, &run->output, run->sample, memory);
}

void driver_begin_sample(driver_run *run)
{
    sedge_sample_begin(run->sample, sedge_session_time(&run->session, run->step), run->step);
    const sedge_status status = sedge_monitors_record(run->monitors, run->sample);
    if (status != SEDGE_OK) sedge_comm_end_alone(run->session.comm, status); // others go on
}

sedge_status driver_sample_monitors(driver_run *run)
{
    const bool checked = run->step % run->session.deck->energy_every == 0;

    if (!checked && !sedge_monitors_due(run->monitors, run->step)) return SEDGE_OK;
    const double start = sedge_clock();
    const sedge_phase phase = sedge_stopwatch_enter(&run->watch, SEDGE_PHASE_OUTPUT);

    sedge_range_begin("output");
    sedge_status status =
        checked ? sedge_monitors_settle(run->monitors, SEDGE_SETTLE_WRITTEN) : SEDGE_OK;
    if (status == SEDGE_OK && checked) status = driver_complete_checkpoint(run, false);
    if (status == SEDGE_OK) status = sedge_monitors_sample(run->monitors, run->sample);
    sedge_range_end();
    sedge_stop_spent(run->stop, sedge_clock() - start);
    (void)sedge_stopwatch_enter(&run->watch, phase);
    return status;
}
