// Array operations on large arrays as the tuner sees them. A family of kernels (elementwise,
// reductions) is one row: its name, the numbers that are tuned, how a candidate is written and
// launched. Everything else is the same for all families: names, keys of the wisdom, memory for
// what candidates write, and the check that a candidate writes what the rule's kernel writes.
#pragma once

#include "array/iteration.h"
#include "tune/tune.h"

// Arrays of so many elements ask the tuner.
#define SEDGE_TUNED_ELEMENTS ((int64_t)1 << 20)

enum { SEDGE_TUNED_CANDIDATES = 12, SEDGE_TUNED_NUMBERS = 3, SEDGE_TUNED_NAME = 48 };

typedef struct sedge_tuned_family {
    const char *operation; // in the wisdom: "elements", "reduction"
    const char *letters;   // one a number: "tp" makes names such as "t256 p2"
    // Append a candidate's whole program, all sources included; -1: with 0 for the numbers. The
    // hash of that text is a part of the key in the wisdom, so that no source can be left out.
    sedge_status (*write)(const void *owner, int candidate, sedge_text *out);
    // One call, in the stream. `program` NULL: the candidate's is made or found in the context.
    sedge_status (*launch)(const void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream);
} sedge_tuned_family;

typedef struct sedge_tuned_candidate {
    int number[SEDGE_TUNED_NUMBERS]; // as many as the family has letters
    int threads;                     // of a block
} sedge_tuned_candidate;

// What candidates write.
typedef struct sedge_tuned_output {
    sedge_buffer *buffer; // not owned
    int64_t bytes;        // written, from its begin
    // 0: each candidate gives the rule's bits. Else the bytes of a number (4 a float, 8 a double)
    // of which half of the digits agree.
    int real;
} sedge_tuned_output;

// One call. The first candidate is the rule's choice. Candidates are run many times, and before the
// choice is made nobody knows which of them are right: they write to memory of sedge_tuned_add.
typedef struct sedge_tuned_call {
    const sedge_tuned_family *family;
    sedge_context *context;
    const char *title; // of the kernel; a part of the key
    int64_t elements;  // their power of two is a part of the key
    double bytes;      // that a call moves at least
    int count;
    sedge_tuned_candidate candidate[SEDGE_TUNED_CANDIDATES];
    const void *owner; // callbacks get it
    bool impossible;   // to measure; the rule is chosen
    // Set by the functions below.
    int outputs, blocks;
    sedge_tuned_output output[SEDGE_ITERATION_OPERANDS];
    void *block[SEDGE_ITERATION_OPERANDS + 1]; // of the pool
    unsigned char *expected, *got;             // samples of the outputs
} sedge_tuned_call;

// The name of candidate c: "a1 m0 r2".
void sedge_tuned_name(char name[SEDGE_TUNED_NAME], const sedge_tuned_call *call, int c);

// Memory that candidates need; that of an output is compared, as `real` says of it. Without memory
// the call becomes impossible to measure. Nothing is taken (`*out` is NULL) where the context's
// level does not allow to measure, or it is impossible already.
SEDGE_MUST_USE
sedge_status sedge_tuned_add(sedge_tuned_call *call, int64_t bytes, sedge_buffer **out);
SEDGE_MUST_USE
sedge_status sedge_tuned_add_output(sedge_tuned_call *call, int64_t bytes, int real,
                                    sedge_buffer **out);

// Which candidate: from wisdom, or measured if the context's level allows it, else the rule's. A
// candidate that gives other numbers than the rule's kernel is refused: all outputs of at most 192
// KiB are compared, of others 64 KiB at begin, middle and end. Waits. The choice is made on this
// rank alone, as everything in a context.
SEDGE_MUST_USE
sedge_status sedge_tuned_choose(int *choice, sedge_tuned_call *call);

// Give all memory back.
void sedge_tuned_clear(sedge_tuned_call *call);
