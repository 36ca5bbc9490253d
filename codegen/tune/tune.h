// The tuner: chooses among several kernels for the same work by timing them on the device that will
// run them, and stores the choice on disk for later runs.
//
// A task describes one choice, of a solver or of an array operation. It has candidates (kernels),
// and one or more layouts of the data in memory; each candidate works in one layout. Each layout is
// tuned for itself, and the fastest layout wins, with its best candidate. A layout other than the
// first wins only if it is more than 3 % faster, and is so again when the choices of both layouts
// are timed in turns.
//
// A candidate is rejected before it is compiled if its resources do not fit, if its estimated
// occupancy is below half of the best, or if its lower bound exceeds the time of the rule's choice
// (the first candidate of each layout). A layout is dropped if all its bounds exceed the best
// layout's time.
//
// Candidates are timed in place, at the real size, warm, and alone on the device. A sample is a
// batch of launches between two events. Candidates are sampled in turns, in ever smaller groups:
// the faster half of them gets twice as many samples. A candidate's least sample counts; its median
// and spread are recorded. A challenger replaces the rule's choice only if it is more than 3 % and
// three spreads faster. A candidate is verified before it may win. A candidate that fails cannot
// win, and the table shows its message as the reason.
//
// Wisdom is the stored result of searches: JSON lines in the cache's folder (wisdom.jsonl), one per
// task, with every candidate's time. The key is task, source hash, size, device and toolchain. A
// line with an equal key is used without measuring. If only toolchain or source differ, the best
// three candidates are timed again. Lines of another size or device only decide which candidates
// are tried first.
//
// Under MPI, ranks with the same key (device, toolchain, size bucket) form a group. The lowest rank
// of a group that is not idle tunes while the others wait, and all use its choice.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "par/comm.h"
#include "program/program.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sedge_tune_level {
    SEDGE_TUNE_OFF,        // exact wisdom, else the rule's choice; nothing is measured
    SEDGE_TUNE_FAST,       // 0.3 s a task
    SEDGE_TUNE_PATIENT,    // 60 s a task
    SEDGE_TUNE_EXHAUSTIVE, // every candidate to the end, no budget; for benchmarks and tests
} sedge_tune_level;

// "off", "fast", "patient", "exhaustive"; SEDGE_ERR_USAGE otherwise.
SEDGE_MUST_USE
sedge_status sedge_tune_level_parse(sedge_tune_level *out, const char *name);
const char *sedge_tune_level_name(sedge_tune_level level);

// SEDGE_TUNE, or `otherwise` where it is not set. SEDGE_ERR_USAGE for a bad value.
SEDGE_MUST_USE
sedge_status sedge_tune_level_default(sedge_tune_level *out, sedge_tune_level otherwise);

enum { SEDGE_TUNE_NUMBERS = 8 };

typedef struct sedge_tune_candidate {
    const char *name;     // unique within its task, kept in the wisdom: "fused b32 n2,4"
    int layout;           // 0 .. layouts - 1
    int threads;          // of a block
    int64_t shared_bytes; // of a block
    int registers;        // a thread, estimated; 0: not known
    double prior;         // cost by a model, in any unit: smaller is tried sooner; 0: not known
    double bound;         // least seconds of a call; 0: computed from the task's bytes, flops
    bool fewer;           // `flops` gives no bound: it may do fewer or faster operations
    const char *refused;  // why it cannot run here; NULL: it can
    // Its parameters, in the same order for all candidates of the task; the others are 0.
    // Those are compiled next that differ from the fastest so far in the fewest numbers.
    int number[SEDGE_TUNE_NUMBERS];
} sedge_tune_candidate;

// Callbacks are called with `context`, by one thread, on the tuning rank only. The exception is
// `text`: it may be called on any rank, for the winner. Programs are borrowed.
typedef struct sedge_tune_task {
    const char *name; // "maxwell-n4-fp32"; with `size` and the sources' hash the wisdom's key
    const char *size; // bucket of what the times depend on: "2^17 elements, 1 material"
    const char *source_hash; // of the sources without the tunable constants, in hexadecimal
    int layouts;
    const char *const *layout_names;
    const char *operation; // what a call does, for the table: "stage", "volume", "sum"
    double bytes, flops;   // compulsory, of a call; 0: not known
    int count;
    const sedge_tune_candidate *candidates; // the first of each layout is the rule's choice
    // This rank has no work: it measures nothing, and takes what its group chose. Where all of a
    // group are idle they take what is remembered, or the rule's.
    bool idle;
    void *context;
    // Bring the data into a layout, before its candidates are launched. NULL with one layout. After
    // a search the tuning rank's data are in the last layout that was tried, not in the chosen one.
    sedge_status (*use_layout)(void *context, int layout);
    // Append the candidate's program source (sedge_program_write).
    sedge_status (*text)(void *context, int candidate, sedge_text *text);
    // Put one call into the stream.
    sedge_status (*launch)(void *context, int candidate, const sedge_program *program,
                           sedge_stream *stream);
    // Run the candidate once and compare its result with a slow reference. If the status is not
    // SEDGE_OK, the candidate cannot win.
    sedge_status (*verify)(void *context, int candidate, const sedge_program *program);
} sedge_tune_task;

typedef struct sedge_tune_options {
    sedge_tune_level level;
    double budget;           // seconds for the task; 0: the level's
    double copy_rate, flops; // measured ceilings, bytes and operations a second; 0: not known
    bool forget;             // ignore stored choices and times, and measure
} sedge_tune_options;

typedef enum sedge_tune_source {
    SEDGE_TUNE_BY_RULE,
    SEDGE_TUNE_BY_WISDOM,
    SEDGE_TUNE_BY_MEASUREMENT
} sedge_tune_source;

// The result for one candidate.
typedef struct sedge_tune_record {
    double seconds; // least of the rounds; 0: not timed
    double median, spread;
    int rounds;
    int registers, spilled; // as compiled; -1: not compiled
    double fraction;        // lower bound / seconds; 0: not known
    char reason[96];        // "winner", "1.8x slower after 1 round", "needs 1280 threads", ...
} sedge_tune_record;

typedef struct sedge_tune_result {
    sedge_tune_source source;
    int layout;
    int choice;                 // index of the candidate
    double *scores;             // [layouts]: seconds of a call; 0: not timed
    sedge_tune_record *records; // [candidates]; NULL where nothing was tried (off)
    double seconds;             // spent here
    int compiled;               // programs
} sedge_tune_result;

// Choose. Collective over `comm` (NULL: this process alone). `out` is freed by the caller. Fails
// only if the rule's choice cannot be compiled, launched or verified, or if memory runs out in a
// callback. Any other candidate that fails merely cannot win.
SEDGE_MUST_USE
sedge_status sedge_tune(sedge_tune_result **out, const sedge_comm *comm, sedge_device *device,
                        sedge_cache *cache, const sedge_tune_task *task,
                        const sedge_tune_options *options);
void sedge_tune_result_free(sedge_tune_result *result);

#define SEDGE_TUNE_NAME 64 // bytes of a name from sedge_tune_remembered

// The names of the candidates that earlier searches chose, newest first, each once. A search counts
// if its task name, source, kind of device, architecture and toolchain are the same; its size may
// differ. `device` may be one that only compiles. `*names` [*count] is released with sedge_release;
// NULL if there are none. Not collective.
SEDGE_MUST_USE
sedge_status sedge_tune_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                   const sedge_device *device, const sedge_cache *cache,
                                   const char *task, const char *source_hash);

// Print the table: candidates, times, fraction of the floor, and why each candidate won or lost.
// Not collective.
SEDGE_MUST_USE
sedge_status sedge_tune_print(FILE *file, const sedge_tune_task *task,
                              const sedge_tune_result *result);
