// Inside codegen: kernels that do one operation for each element. For elementwise.c,
// elementwise_text.c and the tools that tune them.
#pragma once

#include "codegen/array_internal.h"

#define SEDGE_OPERANDS (SEDGE_LEAVES + 1)

// How a kernel sees an operand.
typedef enum sedge_access {
    SEDGE_ACCESS_NUMBER,     // an argument
    SEDGE_ACCESS_CONSTANT,   // an array of which one element stands for all
    SEDGE_ACCESS_CONTIGUOUS, // element i at i
    SEDGE_ACCESS_ROWS,       // strided; in the last dimension one behind the other
    SEDGE_ACCESS_REPEATED,   // strided; in the last dimension always the same
    SEDGE_ACCESS_STRIDED
} sedge_access;

typedef struct sedge_member {
    const char *name; // in the body
    sedge_type type;
    const sedge_array *array; // NULL: a number
    bool written;
    unsigned char number[16];
    sedge_access access;
    int slot; // among the strided operands
} sedge_member;

// What the launch is tuned by.
typedef struct sedge_elementwise_tuning {
    int threads; // of a block
    int packs;   // a thread
} sedge_elementwise_tuning;

// One call: its operands, and what the kernel depends on. The body is a list of C statements.
typedef struct sedge_job {
    sedge_context *context;
    const char *name;
    const char *preamble; // may be ""
    const char *body;
    bool blind; // the body does not read what it writes
    int count;
    sedge_member member[SEDGE_OPERANDS];
    sedge_walk walk;
    int strided;  // operands
    int pack;     // elements
    bool gpu;     // the kernel has the form of the GPUs
    bool wide;    // indices need 64 bits
    bool aligned; // all operands begin at a multiple of a pack's bytes, or of 16
} sedge_job;

// Append the part of the program's text that is made for one job.
SEDGE_MUST_USE
sedge_status sedge_elementwise_write(sedge_text *out, const sedge_job *job,
                                     const sedge_elementwise_tuning *tuning);

// The tunings to choose from; the first is the rule's choice. At most SEDGE_ELEMENTWISE_TUNINGS.
#define SEDGE_ELEMENTWISE_TUNINGS 12
int sedge_elementwise_tunings(sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS],
                              const sedge_job *job);
