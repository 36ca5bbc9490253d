#include "finish.h"

#include "run/errors.h"

#include <stdio.h>

void sedge_finish_outcome(sedge_report *report, char message[4096], sedge_status outcome)
{
    (void)snprintf(message, 4096, "%s", outcome == SEDGE_OK ? "done" : sedge_error_message());
    report->outcome = message;
    report->exit_code = sedge_status_exit_code(outcome);
}

static void print_end(const sedge_report *report, const sedge_session *session)
{
    sedge_errors_print(report);
    printf("  %-22s %lld compiled, %lld found in the cache\n", "programs",
           (long long)report->cache_misses, (long long)report->cache_hits);
    if (report->exchange_hidden >= 0.0) {
        printf("  %-22s %s, %.3g KiB a step, %.0f %% hidden behind work\n", "exchange",
               report->transport, report->exchange_bytes_per_step / 1024.0,
               100.0 * report->exchange_hidden);
    }
    printf("  %-22s %.1f MiB host, %.1f MiB device, a rank at most\n", "memory",
           (double)report->memory_host_peak / 1048576.0,
           (double)report->memory_device_peak / 1048576.0);
    printf("  %-22s %s\n", "results", session->deck->output);
}

// Root: write the report, `again` only its times, to both places.
static sedge_status write_report(sedge_report *report, const sedge_session *session,
                                 sedge_stopwatch *watch, bool again)
{
    const char *const other = session->options->report;
    char path[4096];
    const char *const paths[2] = {path, other};

    (void)snprintf(path, sizeof path, "%s/report.json", session->deck->output);
    (void)sedge_stopwatch_enter(watch, SEDGE_PHASE_FINISH);
    report->watch = *watch;
    report->total_seconds = sedge_stopwatch_elapsed(watch);
    for (int i = 0; i < 2 && paths[i] != NULL; i++) {
        SEDGE_TRY(again ? sedge_report_renew(paths[i], watch, report->before_seconds,
                                             report->total_seconds)
                        : sedge_report_write(report, paths[i]));
    }
    return SEDGE_OK;
}

sedge_status sedge_finish(sedge_report *report, const sedge_session *session,
                          sedge_stopwatch *watch, sedge_status outcome, sedge_status status,
                          sedge_finish_print print, sedge_finish_release release, void *run)
{
    const bool root = sedge_comm_is_root(session->comm);

    if (status == SEDGE_OK && root) {
        status = write_report(report, session, watch, false);
        if ((outcome == SEDGE_OK || outcome == SEDGE_ERR_STOPPED) && !session->options->quiet) {
            print(run, report);
            print_end(report, session);
        }
    }
    status = sedge_comm_agree(session->comm, status);
    (void)sedge_stopwatch_enter(watch, SEDGE_PHASE_RELEASE);
    release(run);
    if (status == SEDGE_OK && root) status = write_report(report, session, watch, true);
    status = sedge_comm_agree(session->comm, status);
    if (outcome == SEDGE_OK) return status;
    sedge_error_set(report->outcome);
    return outcome;
}
