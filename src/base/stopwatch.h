// A stopwatch for the phases of a run: each moment since the start of the process belongs to one
// phase, so that the seconds of all phases add up to the total. Those of the set-up are divided
// further, into parts that the code names where they begin. Plain values; nothing here fails.
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

#define SEDGE_STOPWATCH_PARTS 32

typedef struct sedge_stopwatch_part {
    const char *name; // not copied: a literal
    double seconds;
} sedge_stopwatch_part;

typedef struct sedge_stopwatch {
    double start;                 // when the first phase began, by sedge_clock
    double seconds[SEDGE_PHASES]; // spent in each phase, up to `since`
    sedge_phase phase;            // current phase
    double since;                 // the time up to which all is counted, by sedge_clock
    int parts;                    // of the set-up, in the order of their beginnings
    int current;                  // part that counts while the phase is the set-up
    sedge_stopwatch_part part[SEDGE_STOPWATCH_PARTS];
} sedge_stopwatch;

// Start a stopwatch in `phase`, which began at `since` (by sedge_clock).
sedge_stopwatch sedge_stopwatch_start(sedge_phase phase, double since);

// Enter `phase`. Returns the previous phase, which the caller enters again after an interruption.
sedge_phase sedge_stopwatch_enter(sedge_stopwatch *watch, sedge_phase phase);

// The part `name` of the set-up begins, and the one before ends; a name that has been there before
// goes on. The part "begin" comes before the first call. Where there are too many, the last goes
// on. Does nothing if `watch` is NULL.
void sedge_stopwatch_begin(sedge_stopwatch *watch, const char *name);

// Move `seconds` from phase `from` to phase `to`, for work whose parts are known only afterwards.
// Neither may be the current phase. What the set-up gets goes to its last part.
void sedge_stopwatch_move(sedge_stopwatch *watch, sedge_phase from, sedge_phase to, double seconds);

// The seconds since the start by the clock, whatever the phases add up to.
double sedge_stopwatch_elapsed(const sedge_stopwatch *watch);

// The sum over all phases, including the time since the current one was entered.
double sedge_stopwatch_total(const sedge_stopwatch *watch);
