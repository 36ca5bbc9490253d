// The progress line: rewritten in place twice a second on a terminal; else a line every tenth of
// the run, and in between after 15, 30, 60, ... seconds and then every ten minutes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_progress {
    bool on;
    bool terminal;
    bool shown;
    double start; // clock
    double last;  // when it was shown
    int tenths;
    int64_t first; // step before the first one of this run
} sedge_progress;

// `step` of `steps` are done.
sedge_progress sedge_progress_start(bool on, bool terminal, int64_t step, int64_t steps);

// True if the line is due. The caller then waits for the work queued on the device and calls
// sedge_progress_show.
bool sedge_progress_due(const sedge_progress *progress, int64_t step, int64_t steps);
// `unit` and `energy_unit` are printed after the time and the energy: " s", " J".
void sedge_progress_show(sedge_progress *progress, int64_t step, int64_t steps, double time,
                         const char *unit, double energy, const char *energy_unit);
void sedge_progress_end(sedge_progress *progress);

// Seconds as a person says them: "3.2 min".
void sedge_progress_duration(char text[32], double seconds);
