// A stopwatch for the phases of a run: each moment since the start of the process belongs to one
// phase, so that the seconds of all phases add up to the total. Plain values; nothing here fails.
#pragma once

// In the order in which a run meets them; output and checkpoints interrupt the loop.
typedef enum sedge_phase {
    SEDGE_PHASE_START, // of the process and of MPI, before the run itself begins
    SEDGE_PHASE_SETUP,
    SEDGE_PHASE_LOOP,
    SEDGE_PHASE_OUTPUT,
    SEDGE_PHASE_CHECKPOINT,
    SEDGE_PHASE_FINISH, // errors, ceilings, the report
    SEDGE_PHASES
} sedge_phase;

typedef struct sedge_stopwatch {
    double seconds[SEDGE_PHASES]; // of completed stays in each phase
    sedge_phase phase;            // the present one
    double since;                 // when it was entered, by sedge_clock
} sedge_stopwatch;

// Begin with `phase`, which is taken to have begun at `since` (by sedge_clock).
sedge_stopwatch sedge_stopwatch_start(sedge_phase phase, double since);

// Enter `phase`; returns the one before, to be entered again where this is an interruption.
sedge_phase sedge_stopwatch_enter(sedge_stopwatch *watch, sedge_phase phase);

// Count `seconds` that passed in `from` for `to`: for work whose parts are known only afterwards.
// Both phases must have been left.
void sedge_stopwatch_move(sedge_stopwatch *watch, sedge_phase from, sedge_phase to, double seconds);

// The sum over all phases, with what has passed of the present one.
double sedge_stopwatch_total(const sedge_stopwatch *watch);
