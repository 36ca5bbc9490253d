// Inside the tuner: one race, which tune_race.c runs.
//
//   tune_time.c      samples
//   tune_compile.c   programs
#pragma once

#include "base/error.h"
#include "codegen/program.h"
#include "codegen/tune_internal.h"

#include <stdbool.h>

#define SAMPLE_SECONDS 200e-6 // of a batch of launches between two events
#define FIRST_SLOWER   4.0    // than the rule's: out after one call
#define SAMPLE_AGAIN   2      // times that a bad sample which was short is taken again

enum { SAMPLES_MAX = 64 };

// A candidate in the race.
typedef struct race_entry {
    int candidate;
    sedge_program *program;
    bool out; // it failed or was dropped: it never wins
    bool verified;
    int batch; // calls a sample
    int count; // of samples
    double least;
    double samples[SAMPLES_MAX];
} race_entry;

typedef struct tune_race {
    sedge_tune_run *run;
    int operation, layout;
    const sedge_tune_operation *task; // of the operation
    sedge_tune_record *records;
    double end;           // by sedge_clock
    double allowed;       // seconds, at first
    double batch_seconds; // of the last batch: little where its programs were in the cache
    int batch_together;   // and as how many it was compiled
    int left;             // races that are still to be run, this one included
    bool late;            // the compiler took longer than there was time: no more of it
    race_entry *entries;
    int count, compiled; // entries before `compiled` have had their turn at the compiler
    race_entry *rule;    // NULL: it cannot run here, or failed
} tune_race;

const char *sedge_race_name(const tune_race *race, const race_entry *entry);
sedge_tune_record *sedge_race_record(const tune_race *race, const race_entry *entry);

// A candidate's failure is its own: `what` and this thread's message become its reason. That of the
// rule's choice of layout 0 is returned, and so is want of memory.
SEDGE_MUST_USE
sedge_status sedge_race_give_up(tune_race *race, race_entry *entry, sedge_status status,
                                const char *what);

// It is out, `slower` times slower than others.
void sedge_race_drop(const tune_race *race, race_entry *entry, double slower, const char *when);

// ---- tune_time.c -------------------------------------------------------------------------------

// Is a sample of these seconds taken again, before a candidate is dropped for it?
bool sedge_race_is_short(const tune_race *race, double seconds);

// One sample more. A batch that turns out too short is made longer, and timed again.
SEDGE_MUST_USE
sedge_status sedge_race_sample(const tune_race *race, race_entry *entry);

// The first one, after calls that do not count; it may be dropped for it.
SEDGE_MUST_USE
sedge_status sedge_race_start(const tune_race *race, race_entry *entry);

// ---- tune_compile.c ----------------------------------------------------------------------------

// Compile entries [from, to); those that do not compile are out.
SEDGE_MUST_USE
sedge_status sedge_race_compile(tune_race *race, int from, int to);
