// The solver of krylov.h from inside: its state on the device, its forms, programs and launches.
#pragma once

#include "linear/krylov.h"

#include "program/launch.h"
#include "program/program.h"

// Places in the state, reasons: as in codegen/kernels/linear/krylov.h.
enum {
    STATE_REASON,
    STATE_ITERATION,
    STATE_RR,
    STATE_RZ,
    STATE_ALPHA,
    STATE_BEST,
    STATE_BEST_AT,
    STATE_TARGET,
    STATE_LIMIT,
    STATE_WINDOW,
    STATE_FRESH,
    STATE_RING,
    STATE_KNOWN,
    STATE_ENTRIES = 16
};

// On an H200 an iteration of 10648 rows in fp64 takes 7.1 us in the two kernels of the form with
// one sum, 8.5 in the three of the standard form, which moves two words a row less, and 5.1 in one
// kernel of a cluster. So one kernel is taken for what fits into its memory.
#define KRYLOV_SINGLE_BYTES 4000000 // of a vector, at most, for the form of two kernels
#define KRYLOV_RING_MOST    1024

typedef enum krylov_kind { KRYLOV_NONE, KRYLOV_DIAGONAL, KRYLOV_VECTOR } krylov_kind;

// Kernels on vectors of `rows` numbers, and how the vectors are divided among blocks.
typedef struct krylov_kernels {
    sedge_program *program;
    int64_t rows, chunk;
    int blocks;
    const sedge_kernel *dot, *norm, *residual, *fold, *scale, *update, *direct;
    const sedge_kernel *single, *pipelined, *keep, *chebyshev; // NULL: not requested
} krylov_kernels;

enum { KRYLOV_WITH_SINGLE = 1, KRYLOV_WITH_KEEP = 2, KRYLOV_WITH_CHEBYSHEV = 4 };

// Iterations of one launch of krylov_keep, unless the options set `check`.
#define KRYLOV_KEEP_CHECK 200

// Bytes of block memory that krylov_keep has on the host.
#define KRYLOV_KEEP_BYTES (1 << 20)

// Blocks of krylov_keep.
int sedge_krylov_keep_blocks(const sedge_device_info *info);
// Collective over `comm`. `with`: a sum of the above.
SEDGE_MUST_USE
sedge_status sedge_krylov_kernels_create(krylov_kernels *out, sedge_context *context,
                                         const sedge_comm *comm, int real_bytes, int64_t rows,
                                         krylov_kind kind, int with);
void sedge_krylov_kernels_free(krylov_kernels *kernels);

// The source that would be compiled.
SEDGE_MUST_USE
sedge_status sedge_krylov_kernels_write(sedge_text *out, sedge_device_kind device, int real_bytes,
                                        krylov_kind kind, int with);

// A sum in parts, or over all ranks.
typedef struct krylov_sum {
    uint64_t address;
    int count;
} krylov_sum;

typedef enum krylov_vector {
    VECTOR_R,
    VECTOR_P,
    VECTOR_Q, // A p; w of the forms with one sum
    VECTOR_Z, // M r
    VECTOR_S,
    VECTOR_N, // pipelined: A M w
    VECTOR_M, // M w
    VECTOR_T, // A q
    VECTOR_MQ,
    VECTOR_START, // x at the last start; a scratch vector while forms are timed
    VECTORS
} krylov_vector;

struct sedge_krylov {
    sedge_context *context;
    const sedge_comm *comm;
    sedge_krylov_operator op;
    sedge_krylov_preconditioner preconditioner;
    sedge_krylov_options options;
    krylov_kind kind;
    krylov_kernels kernels;
    int real_bytes;
    int64_t rows, all_rows;
    bool is_many;              // ranks
    int keep_chunk, keep_room; // rows and entries of a block of krylov_keep
    int64_t keep_bytes;        // of its memory
    sedge_krylov_form form;    // AUTO until the first solve has timed them
    int check;
    const sedge_buffer *right; // b of the solve under way
    bool starts_once;          // never restart: the caller needs the coefficients of one sequence

    sedge_buffer *vector[VECTORS]; // NULL where the form does without
    sedge_buffer *states;          // [2][STATE_ENTRIES]
    sedge_buffer *parts;           // [2][3][SEDGE_KRYLOV_SUMS]
    sedge_buffer *dots;            // [SEDGE_KRYLOV_SUMS]
    sedge_buffer *sums;            // [3], of all ranks
    sedge_buffer *ring;            // [ring_entries][3]: r.r, r.z, alpha
    int ring_entries;
    double *pinned_sums;    // [3]
    double *pinned_look[2]; // [STATE_ENTRIES + 3 ring_entries]
    sedge_event *looked[2];
    sedge_sum *pending; // pipelined, several ranks

    sedge_graph *graph; // of `check` iterations with
    uint64_t graph_x;   // this x
    bool warm;          // all of an iteration has run outside of a graph
    sedge_krylov_form graph_form;

    double *history;      // [history_room] residuals
    double *coefficients; // [history_room][2]: r.z, alpha
    int64_t history_count, history_room;
};

// Compute r = b - A x, and r.r and r.z as partial sums of this rank. If `rr` is not NULL, it gets
// r.r over all ranks, and the host waits for it.
SEDGE_MUST_USE
sedge_status sedge_krylov_residual(sedge_krylov *krylov, const sedge_buffer *b,
                                   const sedge_buffer *x, double *rr);

// Add up to three partial sums over the ranks. The result goes to `to` on the host or, if `to` is
// NULL, stays on the device, and `sums` then refer to the result. With several ranks the host
// waits.
SEDGE_MUST_USE
sedge_status sedge_krylov_reduce(sedge_krylov *krylov, krylov_sum *sums, int count, double *to);

// Divide the matrix among the blocks of krylov_keep, if it fits into their memory.
SEDGE_MUST_USE
sedge_status sedge_krylov_plan_keep(sedge_krylov *krylov, bool *fits);

// Run `check` iterations in one kernel.
SEDGE_MUST_USE
sedge_status sedge_krylov_step_persistent(const sedge_krylov *krylov, const sedge_buffer *x);

// sedge_krylov_begin starts a form from the residual in r; sedge_krylov_step does iteration `index`
// after the start.
SEDGE_MUST_USE
sedge_status sedge_krylov_begin(sedge_krylov *krylov, sedge_krylov_form form, sedge_buffer *x);
SEDGE_MUST_USE
sedge_status sedge_krylov_step(sedge_krylov *krylov, sedge_krylov_form form, int64_t index,
                               sedge_buffer *x);

// Bytes of one iteration of a form; 0: not known.
double sedge_krylov_bytes(const sedge_krylov *krylov, sedge_krylov_form form);

// Choose the form for these ranks by timing some iterations of each, which start from the residual
// in r: the standard form, unless another one is much faster. Collective.
SEDGE_MUST_USE
sedge_status sedge_krylov_choose(sedge_krylov *krylov, const double state[STATE_ENTRIES]);
