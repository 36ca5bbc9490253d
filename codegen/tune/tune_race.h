// Inside the tuner: a race, which compares the candidates of one layout. It
// compiles them in batches, the most promising first, times each, and lets ever fewer of them take
// turns for ever more samples. The fastest correct one wins.
//
// A race has one budget, an equal part of the time that is left to the search. A batch is compiled
// only if it is predicted to end within the budget. What has been compiled is timed in any case: if
// the compiler took longer than predicted, for half as long as the budget from then on.
//
//   tune_race.c      the race: compile, time, decide
//   tune_next.c      which candidates are compiled next, and how many
//   tune_compile.c   compiles a batch of candidates
//   tune_time.c      times a candidate
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "program/program.h"
#include "tune/tune_run.h"

#include <stdbool.h>

#define SAMPLE_SECONDS 200e-6 // of a batch of launches between two events; half of it at least
#define LATE_PART      0.5    // of the budget for what the compiler finished late

enum {
    SAMPLES_MAX = 64,
    ROUNDS_FINAL = 15,
    FINALISTS = 3,       // the rule's choice among them
    CONFIDENT_COUNT = 5, // fewest samples whose spread is meaningful
};

// A candidate in the race.
typedef struct race_entry {
    int candidate;
    sedge_text *text; // until there is a program; NULL: not written
    sedge_program *program;
    bool out; // it failed: it never wins
    bool verified;
    int batch; // calls a sample
    int count; // of samples
    double least;
    double samples[SAMPLES_MAX];
} race_entry;

typedef struct tune_race {
    sedge_tune_run *run;
    int layout;
    const sedge_tune_task *task;
    sedge_tune_record *records;
    double budget;      // seconds
    double compile_end; // when it is spent, by sedge_clock: the compiler must have ended
    double end;         // when everything else must end
    race_entry *entries;
    int count, compiled; // entries before `compiled` have had their turn at the compiler
    race_entry *rule;    // the first entry; NULL: it cannot run here, or failed
} tune_race;

// Run the race of the `count` candidates in `order`, as the first of `left` races. `*winner` is the
// candidate that won (-1: none can), and `*seconds` its time (0: not timed). A failure of the
// rule's choice of layout 0 is returned.
SEDGE_MUST_USE
sedge_status sedge_tune_race(sedge_tune_run *run, int layout, const int *order, int count, int left,
                             int *winner, double *seconds);

// ---- for the files of the race -----------------------------------------------------------------

const char *sedge_race_name(const tune_race *race, const race_entry *entry);
sedge_tune_record *sedge_race_record(const tune_race *race, const race_entry *entry);

// Take a candidate that failed out of the race; its reason in the table is `what` with this
// thread's message. A failure of the rule's choice of layout 0 is returned, and so is
// SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_race_give_up(tune_race *race, race_entry *entry, sedge_status status,
                                const char *what);

// ---- tune_time.c -------------------------------------------------------------------------------

// Write the candidate's samples into the table.
void sedge_race_write_record(const tune_race *race, const race_entry *entry);

// The spread of the fastest samples, in seconds. Noise only adds time, so the slow samples are left
// out.
double sedge_race_spread(const race_entry *entry);

double sedge_race_median(const race_entry *entry);

// Whether other work on the machine disturbed most samples.
bool sedge_race_is_disturbed(const race_entry *entry);

// Take one more sample. If its batch of calls was too short, make it longer and time it again.
SEDGE_MUST_USE
sedge_status sedge_race_sample(const tune_race *race, race_entry *entry);

// Make calls that are not timed: one, which may load code and touch pages, and more of them after a
// pause, since a GPU's clocks rise only under load.
SEDGE_MUST_USE
sedge_status sedge_race_warm(const tune_race *race, const race_entry *entry);

// Take the first sample of a candidate, after calls that are not timed.
SEDGE_MUST_USE
sedge_status sedge_race_start(const tune_race *race, race_entry *entry);

// ---- tune_compile.c ----------------------------------------------------------------------------

// Compile those of entries [from, to) that have no program yet. Entries that do not compile are
// dropped from the race.
SEDGE_MUST_USE
sedge_status sedge_race_compile(tune_race *race, int from, int to);

// Write the sources of all entries and load the programs that the cache has for them. Entries
// loaded from the cache move up, right behind the first entry. Entries without a source are
// dropped.
SEDGE_MUST_USE
sedge_status sedge_race_find(tune_race *race);

// ---- tune_next.c -------------------------------------------------------------------------------

// Put those of the entries that are not compiled yet first which differ from `best` in the fewest
// numbers. Equal ones keep their order.
void sedge_race_reorder(tune_race *race, const race_entry *best);

// How many of the next entries to compile, or to take from the cache; 0: there is no time for any.
// `best` is the fastest so far; NULL: nothing was timed.
int sedge_race_choose_size(const tune_race *race, const race_entry *best);

// Note that a batch of `size` programs, whose longest source has `bytes`, took the compiler so
// long.
void sedge_race_note_compiler(sedge_tune_run *run, double seconds, int size, int64_t bytes);
