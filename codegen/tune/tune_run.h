// Inside the tuner: the state of one search on one rank, and the few functions that all parts of it
// need.
//
//   tune_ranks.c   groups of ranks: which rank searches, which ranks get the result
//   tune_search.c  the search over layouts
//   tune_select.c  which candidates are tried, in which order
//   tune_race.c    the candidates of one layout: compile, time, verify, decide; tune_race.h
//   tune_layouts.c the final between two layouts
//   tune_wisdom.c  stores the result of a search, and reads those of earlier ones
//   tune_print.c   the table
#pragma once

#include "base/error.h"
#include "cache/cache.h"
#include "device/device.h"
#include "tune/tune.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_tune_rigor {
    const char *name;
    double seconds;
    int candidates; // of a layout, at most; 0: all
} sedge_tune_rigor;

const sedge_tune_rigor *sedge_tune_rigor_of(sedge_tune_level level);

// What earlier searches say about one candidate: by what their keys differ, and its time there.
typedef enum sedge_tune_distance {
    SEDGE_TUNE_SAME,         // nothing differs (the level may be lower)
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
    sedge_tune_hint *hints; // [candidates]
    int retime;             // level of a search that differs in source or toolchain only; 0: none
    double compile_rate;    // of the compiler on this device (sedge_tune_run); 0: not known
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
    int compilers;       // that this rank may run at once
    int parallel;        // the number of them that the search uses and predicts with
    int together;        // programs in each call of the last batch; 0: no batch in this race
    int together_most;   // largest value of `together`
    double deadline;     // by sedge_clock; HUGE_VAL: none
    double compile_rate; // of the compiler, seconds a byte of source and unit of load; 0: not known
    double layout_seconds; // predicted, to bring the data into a layout
    double launched;       // when the device last had work; 0: never
    bool measured;         // a challenger was timed
    bool incomplete;       // time ran out before everything was tried
} sedge_tune_run;

// The first candidate of a layout; -1: it has none.
int sedge_tune_rule(const sedge_tune_task *task, int layout);

// Write why a candidate won, lost or was not tried.
__attribute__((format(printf, 2, 3))) void sedge_tune_reason(sedge_tune_record *record,
                                                             const char *format, ...);

// When one of the `left` races that are still to be run must end, by sedge_clock.
double sedge_tune_share(const sedge_tune_run *run, int left);
