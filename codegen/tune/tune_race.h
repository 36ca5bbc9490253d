// Inside the tuner: a race, which compares the candidates of one operation in one layout. They are
// compiled in batches and timed in turns; slow ones are dropped, the fastest correct one wins.
//
//   tune_race.c      the race: which step comes next, which candidate is dropped, which wins
//   tune_time.c      times a candidate
//   tune_compile.c   compiles a batch of candidates
//   tune_size.c      chooses how many candidates the next batch has
//   tune_order.c     chooses the order of the candidates that are not compiled yet
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "program/program.h"
#include "tune/tune_run.h"

#include <stdbool.h>

#define SAMPLE_SECONDS 200e-6 // of a batch of launches between two events
#define WARM_SECONDS   0.05   // for the clocks of a GPU, at the start
#define FIRST_SLOWER   4.0    // than the rule's choice: dropped after one call
#define SAMPLE_AGAIN   2      // how often a bad short sample is repeated

enum {
    SAMPLES_MAX = 64,
    ROUNDS_EARLY = 3,
    ROUNDS_FINAL = 15,
    CHALLENGERS_FINAL = 2, // beside the rule's choice
    CONFIDENT_COUNT = 5,   // fewest samples whose spread is meaningful
};

// A candidate in the race.
typedef struct race_entry {
    int candidate;
    sedge_text *text; // NULL: not written, or compiled since
    sedge_program *program;
    bool out; // it failed or was dropped: it never wins
    bool verified;
    int batch; // calls a sample
    int count; // of samples
    double least;
    double expected; // logarithm of its time relative to the mean, before it is compiled
    double samples[SAMPLES_MAX];
} race_entry;

typedef struct tune_race {
    sedge_tune_run *run;
    int operation, layout;
    const sedge_tune_operation *task; // of the operation
    sedge_tune_record *records;
    double compile_end;   // when compiling must end, by sedge_clock
    double end;           // when everything else must end
    double last;          // latest time to which `end` may be put off
    double allowed;       // seconds from the start to `end`, as it was at first
    double batch_seconds; // of the last batch that was compiled
    int batch_jobs;       // compilers that it used
    int batch_together;   // programs in each call of a compiler
    int64_t batch_bytes;  // its longest text; 0: not known
    int64_t next_bytes;   // the next candidate's; 0: not known
    int left;             // races that are still to be run, this one included
    bool late;            // the compiler took too long: nothing more is compiled
    bool overtime;        // a candidate was verified after the end
    bool looked;          // the cache has been searched for all entries
    int found;            // entries from `compiled` on that sedge_race_find has put first
    race_entry *entries;
    int count, compiled; // entries before `compiled` have had their turn at the compiler
    race_entry *rule;    // NULL: it cannot run here, or failed
} tune_race;

// Run the race of the `count` candidates in `order`, as the first of `left` races. `*winner` is the
// candidate that won (-1: none can), and `*seconds` its time (0: not timed). A failure of the
// rule's choice of layout 0 is returned.
SEDGE_MUST_USE
sedge_status sedge_tune_race(sedge_tune_run *run, int operation, int layout, const int *order,
                             int count, int left, int *winner, double *seconds);

// ---- for the files of the race -----------------------------------------------------------------

const char *sedge_race_name(const tune_race *race, const race_entry *entry);
sedge_tune_record *sedge_race_record(const tune_race *race, const race_entry *entry);

// Take a candidate that failed out of the race; its reason in the table is `what` with this
// thread's message. A failure of the rule's choice of layout 0 is returned, and so is
// SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_race_give_up(tune_race *race, race_entry *entry, sedge_status status,
                                const char *what);

// Drop a candidate that is `slower` times slower than another one.
void sedge_race_drop(const tune_race *race, race_entry *entry, double slower, const char *when);

// ---- tune_time.c -------------------------------------------------------------------------------

// Write the candidate's samples into the table.
void sedge_race_write_record(const tune_race *race, const race_entry *entry);

// The spread of the fastest samples, in seconds. Noise only adds time, so the slow samples are left
// out.
double sedge_race_spread(const race_entry *entry);

double sedge_race_median(const race_entry *entry);

// Whether other work on the machine disturbed most samples.
bool sedge_race_is_disturbed(const race_entry *entry);

// Whether a sample of these seconds is short enough to be repeated before it drops a candidate.
bool sedge_race_is_short(const tune_race *race, double seconds);

// Take one more sample. If its batch of calls was too short, make it longer and time it again.
SEDGE_MUST_USE
sedge_status sedge_race_sample(const tune_race *race, race_entry *entry);

// Make calls that are not timed: one, which may load code and touch pages, and more of them after a
// pause, since a GPU's clocks rise only under load.
SEDGE_MUST_USE
sedge_status sedge_race_warm(const tune_race *race, const race_entry *entry);

// Take the first sample of a candidate, after calls that are not timed. If it is too slow, the
// candidate is dropped.
SEDGE_MUST_USE
sedge_status sedge_race_start(const tune_race *race, race_entry *entry);

// ---- tune_compile.c ----------------------------------------------------------------------------

// Compile entries [from, to); those that do not compile are out.
SEDGE_MUST_USE
sedge_status sedge_race_compile(tune_race *race, int from, int to);

// Write the next entry's text and note its length, which predicts the compiler's time. Without a
// text the length stays unknown.
void sedge_race_look_ahead(tune_race *race);

// Load the programs that the cache has for the entries from `compiled` on, and put these entries
// before the others. Entries without a text are out; they are put there, too. `*found` counts both.
SEDGE_MUST_USE
sedge_status sedge_race_find(tune_race *race, int *found);

// ---- tune_size.c -------------------------------------------------------------------------------

// Whether there is time for so many seconds.
bool sedge_race_has_time(const tune_race *race, double seconds);

// Predict the seconds of compiling a batch, from those of the last batch.
double sedge_race_predict_batch(const tune_race *race, int jobs, int together);

// Predict the seconds of the finals, if the fastest candidate takes as long as `leader`.
double sedge_race_predict_finals(const tune_race *race, const race_entry *leader);

// How many of the race->found entries are timed next; 0: there is no time. `leader` is the fastest
// candidate so far, NULL: there is none.
int sedge_race_choose_found(const tune_race *race, const race_entry *leader);

// How many entries are compiled next, run->together of them in one call of a compiler; 0: there is
// no time.
int sedge_race_choose_size(const tune_race *race, const race_entry *leader);

// ---- tune_order.c ------------------------------------------------------------------------------

// Sort the entries from `compiled` on by their expected times. A candidate's name consists of words
// and numbers, each of which stands for a property; candidates that share a property are expected
// to take similar times.
void sedge_race_reorder(tune_race *race);
