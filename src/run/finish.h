// The end of a run, of an equation with or without time: report.json and the summary.
#pragma once

#include "base/stopwatch.h"
#include "run/report.h"
#include "session/session.h"

// Put the outcome into the report, with the error's message where the run failed. The report keeps
// `message`.
void sedge_finish_outcome(sedge_report *report, char message[4096], sedge_status outcome);

// Prints the lines of the summary that are special to this kind of run, before the common ones.
typedef void (*sedge_finish_print)(const void *run, const sedge_report *report);

// Gives back all that the run has, but for what it needs to end: session and lock. Collective.
typedef void (*sedge_finish_release)(void *run);

// Write the report to the output folder and to where --report names; then print the summary, unless
// the run failed or --quiet; then release the run and renew the times in the report. `outcome` is
// how the run ended, `status` what went wrong while the report was filled. Returns the run's own
// failure before any other. Collective.
SEDGE_MUST_USE
sedge_status sedge_finish(sedge_report *report, const sedge_session *session,
                          sedge_stopwatch *watch, sedge_status outcome, sedge_status status,
                          sedge_finish_print print, sedge_finish_release release, void *run);
