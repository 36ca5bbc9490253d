// Conjugate gradients on a device, for an operator and a preconditioner that are the caller's.
//
//     sedge_krylov_options options = sedge_krylov_defaults();
//     options.tolerance = 1e-8;
//     SEDGE_TRY(sedge_krylov_create(&krylov, context, comm, 8, rows, &op,
//                                   &preconditioner, &options));
//     SEDGE_TRY(sedge_krylov_solve(&result, krylov, b, x)); // x: the guess, then the solution
//     sedge_krylov_free(krylov);
//
// Vectors are device buffers of `rows` numbers, this rank's part of the unknowns; inner products go
// over the ranks of `comm`. All work is put into the context's stream.
//
// Convergence. The norm is the 2-norm of the residual b - A x, not preconditioned. The target is
// max(tolerance ||b||, absolute). A solve has converged when b - A x itself, computed again at the
// end (the true residual), is at most the target. Where only the residual that the recurrences
// carry is, the solve starts again from x, aiming lower, and where that does not help it ends with
// SEDGE_KRYLOV_APART.
//
// Lost digits. The forms with fewer sums carry more by recurrences, and those can feign an
// indefinite matrix, stagnation or worse. What ends such a form, but for convergence and the
// iteration limit, is not believed: the standard form goes on from x and its true residual, and
// only its word counts (`doubted`, `doubted_at` tell). It, too, starts again once, from the true
// residual, before it says that A or M is not positive definite.
//
// What is handed back. At the iteration limit x is the last iterate, whether its residual is the
// least or not: with an allowance of 0, the guess. After stagnation and divergence, and where A or
// M is not definite, x is the iterate of the least residual since the last start, for which these
// iterations are made again; where a restart only made it worse, and after not-a-number, x is that
// of the start. `kept` tells of which iteration it is.
//
// Scalars stay on the device. The host looks every `check` iterations, at numbers that were copied
// while the next iterations were already running. What ends a solve is decided on the device, and
// later iterations change nothing: the answer, to the last bit, does not depend on `check`, nor on
// graphs. Sums are made in a fixed order, so that a solve repeats bit by bit on the same device,
// the same number of ranks and in the same form. On several ranks SEDGE_KRYLOV_AUTO times the forms
// and may choose another one another time, with other rounding: name a form where bits must repeat.
#pragma once

#include "array/context.h"
#include "base/error.h"
#include "device/device.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// ---- what the caller brings --------------------------------------------------------------------

// A symmetric positive definite operator. `apply` puts y = A x into the stream; x and y are
// different buffers of `rows` numbers, and all of y is written. On several ranks all call it
// together, so that it may exchange halos.
typedef struct sedge_krylov_operator {
    void *context; // of the callbacks
    sedge_status (*apply)(void *context, sedge_stream *stream, const sedge_buffer *x,
                          sedge_buffer *y);
    // The same with parts of the local sum of x[i] y[i] in `sums`, `sums_count` doubles that are
    // added up in their order: two words a row less to read. NULL: there is none.
    sedge_status (*apply_dot)(void *context, sedge_stream *stream, const sedge_buffer *x,
                              sedge_buffer *y, sedge_buffer *sums);
    int sums_count; // 1..SEDGE_KRYLOV_SUMS
    bool waits;     // a call does work of the host (waits, messages): it cannot stand in a graph
    double bytes;   // compulsory, of a call; 0: not known
    // The local matrix by rows, for the form in which one kernel does the whole solve, on one rank:
    // 64-bit row offsets [rows + 1], 32-bit columns, values of the solve's precision. NULL: there
    // is none.
    const sedge_buffer *offsets, *columns, *values;
} sedge_krylov_operator;

#define SEDGE_KRYLOV_SUMS 1024

// An approximate inverse, symmetric positive definite and the same in every call: z = M r. All
// zero: none.
typedef struct sedge_krylov_preconditioner {
    void *context;
    sedge_status (*apply)(void *context, sedge_stream *stream, const sedge_buffer *r,
                          sedge_buffer *z);
    // Instead: z[i] = diagonal[i] r[i], done inside the other kernels.
    const sedge_buffer *diagonal;
    bool waits;   // as above
    double bytes; // as above, of a call of `apply`
} sedge_krylov_preconditioner;

// ---- how ---------------------------------------------------------------------------------------

typedef enum sedge_krylov_form {
    SEDGE_KRYLOV_AUTO,       // one rank: standard, or where launches count one with fewer kernels;
                             // several: standard, or one that is far faster when timed
    SEDGE_KRYLOV_STANDARD,   // two sums over the ranks an iteration
    SEDGE_KRYLOV_SINGLE,     // one (Chronopoulos and Gear 1989)
    SEDGE_KRYLOV_PIPELINED,  // one, while operator and preconditioner work (Ghysels and Vanroose
                             // 2014); loses digits, of which several ranks win most back every 20
                             // iterations, by four more products
    SEDGE_KRYLOV_PERSISTENT, // one kernel, of one block or a cluster, with all in block memory: one
                             // rank, a small matrix, no or a diagonal preconditioner
} sedge_krylov_form;

typedef struct sedge_krylov_options {
    double tolerance;   // of ||b||; >= 0
    double absolute;    // >= 0
    int64_t iterations; // at most; >= 0
    int check;          // iterations between two looks of the host; 0: chosen
    // Iterations without a new least residual that end a solve, or a tenth as many where it has
    // grown so far that A must be singular to this precision (1e8-fold in fp64, 3e3-fold in fp32);
    // 0: never
    int64_t stagnation;
    sedge_krylov_form form;
    bool no_graphs; // where the device has graphs
    // Called by each rank after every look of the host with what the residual was; may be NULL.
    void (*progress)(void *context, int64_t iteration, double residual, double target);
    void *progress_context;
} sedge_krylov_options;

// tolerance 1e-8, absolute 0, 10000 iterations, stagnation 5000, everything else 0.
sedge_krylov_options sedge_krylov_defaults(void);

// ---- what came of it ---------------------------------------------------------------------------

// Reason, its name in reports, a sentence.
#define SEDGE_KRYLOV_REASON_LIST(X)                                                              \
    X(SEDGE_KRYLOV_CONVERGED, "converged", "the true residual is at most the target")            \
    X(SEDGE_KRYLOV_LIMIT, "iteration limit", "the iterations allowed were not enough")           \
    X(SEDGE_KRYLOV_NAN, "not-a-number",                                                          \
      "the right-hand side, the guess, the operator or the preconditioner gave not-a-number or " \
      "infinity")                                                                                \
    X(SEDGE_KRYLOV_CURVATURE, "negative curvature",                                              \
      "p.Ap <= 0 for a direction p: the operator is not positive definite")                      \
    X(SEDGE_KRYLOV_PRECONDITIONER, "indefinite preconditioner",                                  \
      "r.Mr <= 0 for a residual r: the preconditioner is not positive definite")                 \
    X(SEDGE_KRYLOV_STAGNATION, "stagnation", "no new least residual in many iterations")         \
    X(SEDGE_KRYLOV_APART, "residuals apart",                                                     \
      "the recursive residual reached the target, the true one cannot: the tolerance is below "  \
      "what this precision gives")                                                               \
    X(SEDGE_KRYLOV_DIVERGED, "divergence",                                                       \
      "the residual has grown far beyond its least, for long: the operator is singular, or as "  \
      "good as, and the right-hand side is not in its range")

typedef enum sedge_krylov_reason {
#define SEDGE_KRYLOV_REASON_ENUM(reason, name, text) reason,
    SEDGE_KRYLOV_REASON_LIST(SEDGE_KRYLOV_REASON_ENUM)
#undef SEDGE_KRYLOV_REASON_ENUM
} sedge_krylov_reason;

const char *sedge_krylov_reason_name(sedge_krylov_reason reason);
const char *sedge_krylov_reason_text(sedge_krylov_reason reason);
const char *sedge_krylov_form_name(sedge_krylov_form form);
// "auto", "standard", "single-reduction", "pipelined", "persistent"; SEDGE_ERR_USAGE otherwise.
SEDGE_MUST_USE
sedge_status sedge_krylov_form_parse(sedge_krylov_form *out, const char *name);

typedef struct sedge_krylov_result {
    sedge_krylov_reason reason;
    sedge_krylov_form form;       // that was used, in the end
    sedge_krylov_form first_form; // in the beginning
    sedge_krylov_reason doubted;  // what ended that and was not believed; CONVERGED: nothing
    int64_t doubted_at;           // after so many iterations
    int64_t iterations;           // in all
    int64_t kept;                 // iterations that led to x: all, or those to the least residual
    int restarts;                 // from the true residual
    double target;                // absolute
    double right_hand_side;       // ||b||
    double initial;               // ||b - A x|| of the guess
    double recursive_residual;    // at the end, or of the least
    double true_residual;         // of x, computed again
    // Recursive residual after each iteration, the first being the guess's; [history_count], of the
    // solver, until its next solve.
    const double *history;
    int64_t history_count;
    double seconds;
    double bytes; // compulsory traffic of the iterations on this rank; 0: the operator's not known
    int check;    // that was used
    bool graphs;  // iterations ran as graphs
} sedge_krylov_result;

// ---- solving -----------------------------------------------------------------------------------

typedef struct sedge_krylov sedge_krylov;

enum { SEDGE_KRYLOV_NAME = 16 };

// Append the program of a solve on such a device, for `sedge build`, and tell its name: with a
// preconditioner that is a function, or none; `pipelined`: what the forms with one sum need, which
// SEDGE_KRYLOV_AUTO takes where vectors are short. Not collective.
SEDGE_MUST_USE
sedge_status sedge_krylov_text(sedge_text *out, char name[SEDGE_KRYLOV_NAME],
                               const sedge_device_info *info, int real_bytes, bool preconditioned,
                               bool pipelined);

// Make the vectors and the kernels. Collective over `comm` (NULL: this process alone). `real_bytes`
// is 4 (fp32) or 8 (fp64). `preconditioner` NULL: none. Operator, preconditioner and options
// are copied; what they point to, and context and comm, must outlive the solver. SEDGE_ERR_USAGE
// for options that are out of range or a form that cannot be had, with the reason.
SEDGE_MUST_USE
sedge_status sedge_krylov_create(sedge_krylov **out, sedge_context *context, const sedge_comm *comm,
                                 int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                 const sedge_krylov_preconditioner *preconditioner,
                                 const sedge_krylov_options *options);
void sedge_krylov_free(sedge_krylov *krylov);

// Solve A x = b. `x` holds the guess and gets what was reached, for every reason. Waits.
// Collective. A solve that does not converge is no failure of this function: see the reason. Fails
// where a callback or the device fails; on many ranks, of which the others would wait for this one,
// the job is then ended, with its message (but for SEDGE_ERR_COMPUTE, which is to be all ranks').
SEDGE_MUST_USE
sedge_status sedge_krylov_solve(sedge_krylov_result *result, sedge_krylov *krylov,
                                const sedge_buffer *b, sedge_buffer *x);
