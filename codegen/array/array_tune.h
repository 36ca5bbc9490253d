// Tuning of operations on large arrays. A family of kernels (elementwise, reductions) is described
// by one sedge_tuned_family: its name, the numbers that are tuned, and the functions that write and
// launch a candidate. Everything else is the same for all families: names, keys of the wisdom,
// memory for the output of candidates, and the check that a candidate's output equals that of the
// rule's kernel.
#pragma once

#include "array/iteration.h"
#include "tune/tune.h"

// Operations on arrays of at least so many elements are tuned.
#define SEDGE_TUNED_ELEMENTS ((int64_t)1 << 20)

enum { SEDGE_TUNED_CANDIDATES = 12, SEDGE_TUNED_NUMBERS = 3, SEDGE_TUNED_NAME = 48 };

typedef struct sedge_tuned_family {
    const char *operation; // in the wisdom: "elements", "reduction"
    const char *letters;   // one a number: "tp" makes names such as "t256 p2"
    // Append a candidate's whole program, all sources included. Candidate -1 has 0 for all numbers;
    // the hash of its source is part of the key in the wisdom, so that the key covers every source.
    sedge_status (*write)(const void *owner, int candidate, sedge_text *out);
    // Queue one call in the stream. `program` NULL: the candidate's program is found in the
    // context, or made.
    sedge_status (*launch)(const void *owner, int candidate, const sedge_program *program,
                           sedge_stream *stream);
} sedge_tuned_family;

typedef struct sedge_tuned_candidate {
    int number[SEDGE_TUNED_NUMBERS]; // as many as the family has letters
    int threads;                     // of a block
} sedge_tuned_candidate;

// One output of the candidates.
typedef struct sedge_tuned_output {
    sedge_buffer *buffer; // not owned
    int64_t bytes;        // written, from its begin
    // How results are compared. 0: each candidate gives the same bits as the rule's. Else the bytes
    // of a number (4: float, 8: double), of which half of the digits must agree.
    int real;
} sedge_tuned_output;

// One call of an operation. The first candidate is the rule's choice. Candidates run many times,
// and their results may be wrong until they have been compared. So they write to memory of
// sedge_tuned_add_output, not to the caller's arrays.
typedef struct sedge_tuned_call {
    const sedge_tuned_family *family;
    sedge_context *context;
    const char *title; // of the kernel; a part of the key
    int64_t elements;  // their power of two is a part of the key
    double bytes;      // that a call moves at least
    int count;
    sedge_tuned_candidate candidate[SEDGE_TUNED_CANDIDATES];
    const void *owner; // callbacks get it
    bool impossible;   // measuring is impossible; the rule's choice is taken
    // Set by the functions below.
    int outputs, blocks;
    sedge_tuned_output output[SEDGE_ITERATION_OPERANDS];
    void *block[SEDGE_ITERATION_OPERANDS + 1]; // of the pool
    unsigned char *expected, *got;             // samples of the outputs
} sedge_tuned_call;

// The name of candidate c: "a1 m0 r2".
void sedge_tuned_name(char name[SEDGE_TUNED_NAME], const sedge_tuned_call *call, int c);

// Take memory that candidates need. The second function takes memory for an output, which is
// compared as `real` says. If memory runs out, the call is marked as impossible to measure. If the
// context's level does not allow measuring, or measuring is impossible already, nothing is taken
// and `*out` is NULL.
SEDGE_MUST_USE
sedge_status sedge_tuned_add(sedge_tuned_call *call, int64_t bytes, sedge_buffer **out);
SEDGE_MUST_USE
sedge_status sedge_tuned_add_output(sedge_tuned_call *call, int64_t bytes, int real,
                                    sedge_buffer **out);

// Choose a candidate from wisdom, or by measuring if the context's level allows it, else the
// rule's. A candidate whose results differ from those of the rule's kernel is refused. Outputs of
// at most 192 KiB are compared as a whole, larger ones in 64 KiB at the beginning, the middle and
// the end. Waits. Not collective: this rank chooses for itself.
SEDGE_MUST_USE
sedge_status sedge_tuned_choose(int *choice, sedge_tuned_call *call);

// Give all memory back.
void sedge_tuned_clear(sedge_tuned_call *call);
