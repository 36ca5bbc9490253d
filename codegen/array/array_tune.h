// Inside codegen: the tuner's view of one call of an array operation, for elementwise_tune.c,
// reduce_tune.c and scan_tune.c. What candidates write goes to scratch arrays, for they are run
// many times, and before the choice is made nobody knows which of them are right.
#pragma once

#include "array/cached_kernel.h"
#include "array/iteration.h"
#include "array/pool.h"
#include "tune/tune.h"

// From here on the tuner is asked.
#define SEDGE_TUNED_ELEMENTS ((int64_t)1 << 20)

enum {
    SEDGE_TRIAL_CANDIDATES = 12,
    SEDGE_TRIAL_NAME = 48,
    SEDGE_TRIAL_OUTPUTS = SEDGE_ITERATION_OPERANDS
};

// What candidates write.
typedef struct sedge_trial_output {
    sedge_buffer *buffer; // not owned
    int64_t bytes;        // written, from its begin
    // 0: each candidate gives the rule's bits. Else of numbers of so many bytes (4 a float, 8 a
    // double) half of the digits.
    int real;
} sedge_trial_output;

// The first candidate is the rule's choice. Callbacks get `owner` back.
typedef struct sedge_trial {
    sedge_context *context;
    const char *title;     // of the kernel; with its source and the bucket of `elements` the key
    const char *operation; // "elements", "reduction", "scan"
    int64_t elements;
    double bytes; // that a call moves at least
    int count;
    char name[SEDGE_TRIAL_CANDIDATES][SEDGE_TRIAL_NAME];
    sedge_tune_candidate candidate[SEDGE_TRIAL_CANDIDATES]; // `name` is set by sedge_trial_choose
    int outputs;
    sedge_trial_output output[SEDGE_TRIAL_OUTPUTS];
    void *owner;
    // Append a candidate's program; -1: without the numbers that are tuned.
    sedge_status (*write)(void *owner, int candidate, sedge_text *out);
    // One call, in the stream.
    sedge_status (*launch)(void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream);
    // One call of the rule's kernel, in stream NULL, without the tuner.
    sedge_status (*run_rule)(void *owner);
    unsigned char *wanted, *got; // samples; its own
} sedge_trial;

// Which candidate: from wisdom, or measured if the context's level allows it, else the rule's. A
// candidate that gives other numbers than the rule's kernel is refused: all outputs of at most 192
// KiB are compared, of others 64 KiB at begin, middle and end. Waits. The choice is made on this
// rank alone, as everything in a context.
SEDGE_MUST_USE
sedge_status sedge_trial_choose(int *choice, sedge_trial *trial);

// Memory for a second result, to be given back with sedge_pool_give; where there is none,
// `*possible` becomes false and nothing is taken. `*possible` false already: nothing is done.
SEDGE_MUST_USE
sedge_status sedge_trial_take(sedge_context *context, int64_t bytes, void **block,
                              sedge_buffer **buffer, bool *possible);
