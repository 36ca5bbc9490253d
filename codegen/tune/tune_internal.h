// Inside the tuner: what its files share.
//
//   tune.c         levels, groups of ranks, the search over layouts
//   tune_select.c  which candidates are tried, in which order
//   tune_layouts.c the final between two layouts
//   tune_race.c    time, drop, verify: one operation in one layout; tune_race.h
//   tune_time.c    its samples
//   tune_compile.c its programs
//   tune_size.c    how many of them there is time for
//   tune_guess.c   which of them come next, by those timed
//   tune_wisdom.c  what is kept of a search, and what earlier ones say
//   tune_print.c   the table
#pragma once

#include "base/error.h"
#include "tune/tune.h"
#include "tune/wisdom.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_tune_rigor {
    const char *name;
    double operation_seconds;
    double task_seconds; // at most
    int candidates;      // of an operation in a layout, at most; 0: all
} sedge_tune_rigor;

const sedge_tune_rigor *sedge_tune_rigor_of(sedge_tune_level level);

// What earlier searches say of one candidate.
typedef enum sedge_tune_distance {
    SEDGE_TUNE_SAME,         // all the same (the level may be lower)
    SEDGE_TUNE_OTHER_SOURCE, // source or toolchain
    SEDGE_TUNE_OTHER_SIZE,
    SEDGE_TUNE_OTHER_DEVICE,
    SEDGE_TUNE_UNKNOWN
} sedge_tune_distance;

typedef struct sedge_tune_hint {
    sedge_tune_distance distance;
    double seconds;
} sedge_tune_hint;

typedef struct sedge_tune_advice {
    sedge_tune_hint **hints; // [operations][candidates]
    int retime;              // level of a search to which only source or toolchain is new; 0: none
    double compile_seconds;  // of a batch of programs on this device; 0: not known
} sedge_tune_advice;

// One search on one rank. Everything is borrowed.
typedef struct sedge_tune_run {
    sedge_device *device;
    const sedge_device_info *info;
    sedge_cache *cache;
    const sedge_tune_task *task;
    const sedge_tune_options *options;
    const sedge_tune_advice *advice;
    sedge_tune_result *result;
    sedge_stream *stream;
    sedge_event *before, *after;
    uint64_t seed;
    int parallel;           // compilers that run at once
    int together;           // programs that each of them compiles as one, by now
    int together_most;      // at most
    double deadline;        // by sedge_clock; HUGE_VAL: none
    double compile_seconds; // predicted, of a batch of which each is compiled alone
    int64_t compile_bytes;  // and whose longest text has so many; 0: not known
    bool compiler_unknown;  // that is no more than a guess
    double verify_seconds;  // predicted
    double layout_seconds;  // predicted, to bring the data into a layout
    double launched;        // when the device last had work; 0: never
    bool measured;          // a challenger was timed
    bool cut;               // something was left for want of time
} sedge_tune_run;

// Tables [operations][candidates] in one piece of memory, rows first.
SEDGE_MUST_USE
sedge_status sedge_tune_table(void *out, const sedge_tune_task *task, size_t size);

// The first candidate of a layout; -1: it has none.
int sedge_tune_rule(const sedge_tune_operation *operation, int layout);

// The least seconds of a call, by the candidate's bound or the operation's bytes and, unless it
// does fewer, flops; 0: not known.
double sedge_tune_bound(const sedge_tune_options *options, const sedge_tune_operation *operation,
                        const sedge_tune_candidate *candidate);

// What times are compared with in the table: the bound with all the flops.
double sedge_tune_floor(const sedge_tune_options *options, const sedge_tune_operation *operation,
                        const sedge_tune_candidate *candidate);

__attribute__((format(printf, 2, 3))) void sedge_tune_reason(sedge_tune_record *record,
                                                             const char *format, ...);

// Which candidates of an operation are tried in a layout, in order: `order` has room for all, and
// `*count` are chosen, the rule's first if it can run. The others' reasons are written.
SEDGE_MUST_USE
sedge_status sedge_tune_select(const sedge_tune_run *run, int operation, int layout, int *order,
                               int *count);

// When one of the `left` races that are still to be run must end, by sedge_clock.
double sedge_tune_share(const sedge_tune_run *run, int left);

// Race them, as the first of `left` races. `*winner` is the candidate that won, -1: none can;
// `*seconds` its time, 0: not timed. A failure of the rule's choice of layout 0 is returned.
SEDGE_MUST_USE
sedge_status sedge_tune_race(sedge_tune_run *run, int operation, int layout, const int *order,
                             int count, int left, int *winner, double *seconds);

// Seconds of the choice `other` in `layout` over those of the choice `first` in layout 0, by turns:
// the median. Both were verified. In time for a few turns at least, whatever the deadline. The data
// are in either layout afterwards.
SEDGE_MUST_USE
sedge_status sedge_tune_compare_layouts(sedge_tune_run *run, const int *first, int layout,
                                        const int *other, double *ratio);

// The wisdom's key of a task on a device, to be released with json_decref.
SEDGE_MUST_USE
sedge_status sedge_tune_key(json_t **key, const sedge_tune_task *task, const sedge_device *device);

// Choice, records and scores of the last search of at least this level; `*found` false: there is
// none whose choice still is to be had.
SEDGE_MUST_USE
sedge_status sedge_tune_recall(sedge_tune_result *result, bool *found, const sedge_tune_task *task,
                               const json_t *lines, const json_t *key, sedge_tune_level level);

// What the lines say of the candidates. Release with sedge_tune_advice_free.
SEDGE_MUST_USE
sedge_status sedge_tune_advise(sedge_tune_advice *advice, const sedge_tune_task *task,
                               const json_t *lines, const json_t *key,
                               const sedge_tune_options *options);
void sedge_tune_advice_free(sedge_tune_advice *advice);

// Keep a result.
SEDGE_MUST_USE
sedge_status sedge_tune_keep(const sedge_tune_run *run, json_t *key, sedge_tune_level level);

// Why a candidate cannot run on this device at all; false: it can, as far as is known. `record` may
// be NULL.
bool sedge_tune_is_refused(const sedge_device_info *info, const sedge_tune_candidate *candidate,
                           sedge_tune_record *record);
