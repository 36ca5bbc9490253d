// A stopwatch for the phases of a run: each moment since the start of the process belongs to one
// phase, so that the seconds of all phases add up to the total. Plain values; nothing here fails.
#pragma once

// In the order of a run; output and checkpoints interrupt the loop.
typedef enum sedge_phase {
    SEDGE_PHASE_START, // start of the process and of MPI, before the run itself begins
    SEDGE_PHASE_SETUP,
    SEDGE_PHASE_LOOP,
    SEDGE_PHASE_OUTPUT,
    SEDGE_PHASE_CHECKPOINT,
    SEDGE_PHASE_FINISH,  // errors, ceilings, the report
    SEDGE_PHASE_RELEASE, // giving back what the run had: memory, the device
    SEDGE_PHASES
} sedge_phase;

typedef struct sedge_stopwatch {
    double start;                 // when the first phase began, by sedge_clock
    double seconds[SEDGE_PHASES]; // spent in each phase, up to `since`
    sedge_phase phase;            // current phase
    double since;                 // when it was entered, by sedge_clock
} sedge_stopwatch;

// Start a stopwatch in `phase`, which began at `since` (by sedge_clock).
sedge_stopwatch sedge_stopwatch_start(sedge_phase phase, double since);

// Enter `phase`. Returns the previous phase, which the caller enters again after an interruption.
sedge_phase sedge_stopwatch_enter(sedge_stopwatch *watch, sedge_phase phase);

// Move `seconds` from phase `from` to phase `to`, for work whose parts are known only afterwards.
// Neither may be the current phase.
void sedge_stopwatch_move(sedge_stopwatch *watch, sedge_phase from, sedge_phase to, double seconds);

// The seconds since the start by the clock, whatever the phases add up to.
double sedge_stopwatch_elapsed(const sedge_stopwatch *watch);

// The sum over all phases, including the time since the current one was entered.
double sedge_stopwatch_total(const sedge_stopwatch *watch);
