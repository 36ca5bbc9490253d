// Elementwise kernels: a body of C runs once for each element of arrays of one shape. A call is
// described by a job. The job is planned, which finds how its operands lie in memory; then its
// kernel is found by a key, or written; then the kernel is launched. Expressions, copies, snippets
// of C and selection use such jobs.
#pragma once

#include "array/array_tune.h"
#include "array/cached_kernel.h"
#include "elementwise/analysis.h"

#define SEDGE_OPERANDS (SEDGE_LEAVES + 1)

// How a kernel reads an operand.
typedef enum sedge_access {
    SEDGE_ACCESS_NUMBER,     // an argument
    SEDGE_ACCESS_CONSTANT,   // an array of which one element stands for all
    SEDGE_ACCESS_CONTIGUOUS, // element i at i
    SEDGE_ACCESS_ROWS,       // strided; contiguous in the last dimension
    SEDGE_ACCESS_REPEATED,   // strided; one element for all of the last dimension
    SEDGE_ACCESS_STRIDED
} sedge_access;

// One operand.
typedef struct sedge_member {
    const char *name; // in the body
    sedge_type type;
    const sedge_array *array; // NULL: a number
    bool written;
    _Alignas(16) unsigned char number[16]; // as a kernel of the host reads it
    sedge_access access;
    int slot; // among the strided operands
} sedge_member;

// The numbers that are tuned.
typedef struct sedge_elementwise_tuning {
    int threads; // of a block
    int packs;   // a thread
} sedge_elementwise_tuning;

// One call: its operands, and what the kernel depends on. The body is a list of C statements.
typedef struct sedge_job {
    sedge_context *context;
    const char *title;        // for messages and kept files; NULL: made from the key
    const char *preamble;     // may be ""
    const char *body;         // NULL: the text of the analysis
    sedge_analysis *analysis; // NULL: the body is there
    bool write_only;          // the body does not read what it writes
    int count;
    sedge_member member[SEDGE_OPERANDS];
    sedge_iteration iteration;
    int strided;  // operands
    int pack;     // elements
    bool gpu;     // the kernel has the form of the GPUs
    bool wide;    // indices need 64 bits
    bool aligned; // all operands begin at a multiple of a pack's bytes, or of 16
} sedge_job;

enum { SEDGE_JOB_KEY = 4 + 2 * SEDGE_OPERANDS };

// Whether kernels of the context's device have the form of the GPUs.
bool sedge_job_needs_gpu_form(const sedge_context *context);

// Plan a job: decide how the elements of a shape are visited. With `sort` they are visited in the
// order of memory. The caller has set the members and `gpu`.
void sedge_job_plan(sedge_job *job, int dimensions, const int64_t *shape, bool sort);

// Write the part of the kernel's key that does not depend on its body. Returns the number of bytes,
// at most SEDGE_JOB_KEY.
int sedge_job_key(unsigned char *key, const sedge_job *job, char tag);

// Run a planned job of at least one element. Its kernel is found by the key, or made.
SEDGE_MUST_USE
sedge_status sedge_job_run(sedge_job *job, const void *key, int bytes);

// The two steps of sedge_job_run, for the tuner: get the kernel, and launch it. With `program` NULL
// the program is found in the context, or made.
SEDGE_MUST_USE
sedge_status sedge_job_kernel(sedge_cached_kernel *cached, const sedge_job *job,
                              const sedge_elementwise_tuning *tuning, const sedge_program *program);
SEDGE_MUST_USE
sedge_status sedge_job_launch(const sedge_job *job, const sedge_cached_kernel *cached,
                              sedge_stream *stream);

// The sources of one kernel's program; `text` is the source from sedge_elementwise_write.
void sedge_job_sources(sedge_source sources[3], const char *text);

// Append the part of the program's source that is made for one job.
SEDGE_MUST_USE
sedge_status sedge_elementwise_write(sedge_text *out, const sedge_job *job,
                                     const sedge_elementwise_tuning *tuning);

// The tunings to choose from; the first is the rule's choice.
#define SEDGE_ELEMENTWISE_TUNINGS SEDGE_TUNED_CANDIDATES
int sedge_elementwise_tunings(sedge_elementwise_tuning tunings[SEDGE_ELEMENTWISE_TUNINGS],
                              const sedge_job *job);

// Choose one of `count` tunings: from wisdom, or by measuring if the context's level allows it and
// there is memory for a second result, else the first, which is the rule's.
SEDGE_MUST_USE
sedge_status sedge_job_tune(int *choice, const sedge_job *job,
                            const sedge_elementwise_tuning *tunings, int count);

// Start a job whose first member is `result`, which is written and not read.
void sedge_job_start(sedge_job *job, sedge_context *context, sedge_array *result);

// Add the leaves of an expression to a job; the text of the expression becomes the body.
void sedge_job_add_leaves(sedge_job *job, sedge_analysis *analysis);

// Convert `value` to the bytes of a kernel's argument. SEDGE_ERR_USAGE if an integer type cannot
// hold it.
SEDGE_MUST_USE
sedge_status sedge_number_convert(unsigned char bytes[16], sedge_type type, double value);

// Check the array that is written. The first function fails with SEDGE_ERR_USAGE if the shape does
// not broadcast to that of `array`, or if two elements of `array` are at the same address. The
// second fails with SEDGE_ERR_USAGE if writing `to` may overwrite elements of `from` that are still
// to be read.
SEDGE_MUST_USE
sedge_status sedge_target_check(const sedge_array *array, int dimensions, const int64_t *shape);
SEDGE_MUST_USE
sedge_status sedge_overlap_check(const sedge_array *to, const sedge_array *from);

// Write the whole program of `array = expression` for a device of any kind, to read it or to
// compile it where there is no such device. `choice` is the index of a tuning; 0 is the rule's, and
// GPUs have SEDGE_ELEMENTWISE_TUNINGS of them. Frees the expression.
SEDGE_MUST_USE
sedge_status sedge_elementwise_preview(sedge_text *out, sedge_device_kind kind, sedge_array *array,
                                       sedge_expression *expression, int choice);
