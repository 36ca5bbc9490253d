// Conjugate gradients on a device, for an operator and a preconditioner that the caller provides.
//
//     sedge_krylov_options options = sedge_krylov_defaults();
//     options.tolerance = 1e-8;
//     SEDGE_TRY(sedge_krylov_create(&krylov, context, comm, 8, rows, &op,
//                                   &preconditioner, &options));
//     SEDGE_TRY(sedge_krylov_solve(&result, krylov, b, x)); // x: the guess, then the solution
//     sedge_krylov_free(krylov);
//
// Vectors are device buffers of `rows` numbers, this rank's part of the unknowns. Inner products
// are summed over the ranks of `comm`. All work is queued in the context's stream.
//
// Convergence. The norm is the 2-norm of the residual b - A x, not preconditioned. The target is
// max(tolerance ||b||, absolute). A solve has converged when b - A x itself, computed again at the
// end (the true residual), is at most the target. If only the recursive residual (the one that the
// iteration updates) has reached the target, the solve restarts from x with a lower target. If that
// does not help, it ends with SEDGE_KRYLOV_APART.
//
// Lost digits. The forms with fewer sums compute more vectors by recurrences, whose rounding errors
// can look like an indefinite matrix, stagnation or worse. If such a form ends for any reason but
// convergence and the iteration limit, that reason is not trusted: the standard form continues from
// x and its true residual, and its reason is the result (`doubted` and `doubted_at` record the
// first one). The standard form, too, restarts once from the true residual before it reports that A
// or M is not positive definite.
//
// The returned x. At the iteration limit x is the last iterate, even if an earlier one had a
// smaller residual; with a limit of 0 it is the guess. After stagnation or divergence, and if A or
// M is not definite, x is the iterate with the least residual since the last restart; the
// iterations up to it are repeated to compute it. If a restart only increased the residual, and
// after not-a-number, x is the vector at the restart. `kept` is the number of iterations that led
// to x.
//
// Scalars stay on the device. Every `check` iterations the host checks numbers that were copied
// while the next iterations were already running. The device decides when a solve ends, and later
// iterations change nothing. So the result does not depend, to the last bit, on `check` or on
// graphs. Sums are computed in a fixed order, so a solve repeats bit by bit on the same device,
// with the same number of ranks and in the same form. On several ranks SEDGE_KRYLOV_AUTO times the
// forms and may choose a different one in the next run, with different rounding; request a form if
// bits must repeat.
#pragma once

#include "array/context.h"
#include "base/error.h"
#include "device/device.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// ---- what the caller provides ------------------------------------------------------------------

// A symmetric positive definite operator. `apply` puts y = A x into the stream; x and y are
// different buffers of `rows` numbers, and all of y is written. On several ranks all call it
// together, so that it may exchange halos.
typedef struct sedge_krylov_operator {
    void *context; // of the callbacks
    sedge_status (*apply)(void *context, sedge_stream *stream, const sedge_buffer *x,
                          sedge_buffer *y);
    // The same, and additionally the partial sums of the local x[i] y[i] in `sums`, `sums_count`
    // doubles that are added up in their order. This saves reading two numbers per row. NULL: not
    // available.
    sedge_status (*apply_dot)(void *context, sedge_stream *stream, const sedge_buffer *x,
                              sedge_buffer *y, sedge_buffer *sums);
    int sums_count; // 1..SEDGE_KRYLOV_SUMS
    bool waits;     // a call needs the host (waits, messages), so it cannot be in a graph
    double bytes;   // that a call must move at least; 0: not known
    // The local matrix by rows, for the form in which one kernel does the whole solve, on one rank:
    // 64-bit row offsets [rows + 1], 32-bit columns, values of the solve's precision. NULL: there
    // is none.
    const sedge_buffer *offsets, *columns, *values;
} sedge_krylov_operator;

#define SEDGE_KRYLOV_SUMS 1024

// An approximate inverse, z = M r, symmetric positive definite and the same in every call. All
// members zero: no preconditioner.
typedef struct sedge_krylov_preconditioner {
    void *context;
    sedge_status (*apply)(void *context, sedge_stream *stream, const sedge_buffer *r,
                          sedge_buffer *z);
    // In place of `apply`: z[i] = diagonal[i] r[i], computed inside the other kernels.
    const sedge_buffer *diagonal;
    bool waits;   // as above
    double bytes; // as above, of a call of `apply`
} sedge_krylov_preconditioner;

// ---- options------------------------------------------------------------------------------------

typedef enum sedge_krylov_form {
    SEDGE_KRYLOV_AUTO,       // one rank: standard, or for short vectors one with fewer launches;
                             // several: standard, or one that is far faster when timed
    SEDGE_KRYLOV_STANDARD,   // two sums over the ranks an iteration
    SEDGE_KRYLOV_SINGLE,     // one (Chronopoulos and Gear 1989)
    SEDGE_KRYLOV_PIPELINED,  // one, while operator and preconditioner work (Ghysels and Vanroose
                             // 2014); loses digits; on several ranks four more products every 20
                             // iterations recover most of them
    SEDGE_KRYLOV_PERSISTENT, // one kernel, of one block or a cluster, with all in block memory: one
                             // rank, a small matrix, no or a diagonal preconditioner
} sedge_krylov_form;

typedef struct sedge_krylov_options {
    double tolerance;   // of ||b||; >= 0
    double absolute;    // >= 0
    int64_t iterations; // at most; >= 0
    int check;          // iterations between two checks by the host; 0: chosen
    // The solve ends after so many iterations without a new least residual. A tenth as many are
    // enough if the residual has grown so far (1e8-fold in fp64, 3e3-fold in fp32) that A must be
    // singular in this precision. 0: never
    int64_t stagnation;
    sedge_krylov_form form;
    bool no_graphs; // where the device has graphs
    // Called on each rank after every check by the host, with the residual; may be NULL.
    void (*progress)(void *context, int64_t iteration, double residual, double target);
    void *progress_context;
} sedge_krylov_options;

// tolerance 1e-8, absolute 0, 10000 iterations, stagnation 5000, everything else 0.
sedge_krylov_options sedge_krylov_defaults(void);

// ---- the result --------------------------------------------------------------------------------

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
    sedge_krylov_form form;       // that was used at the end
    sedge_krylov_form first_form; // that was used at the beginning
    sedge_krylov_reason doubted;  // reason of first_form that was not trusted; CONVERGED: none
    int64_t doubted_at;           // after so many iterations
    int64_t iterations;           // in all
    int64_t kept;                 // iterations that led to x: all, or those to the least residual
    int restarts;                 // from the true residual
    double target;                // absolute
    double right_hand_side;       // ||b||
    double initial;               // ||b - A x|| of the guess
    double recursive_residual;    // at the end, or the least
    double true_residual;         // of x, computed again
    // [history_count] recursive residuals, that of the guess first, then one after each iteration.
    // Owned by the solver; valid until its next solve.
    const double *history;
    int64_t history_count;
    double seconds;
    double bytes; // least traffic of the iterations on this rank; 0: the operator's is not known
    int check;    // that was used
    bool graphs;  // iterations ran as graphs
} sedge_krylov_result;

// ---- solving -----------------------------------------------------------------------------------

typedef struct sedge_krylov sedge_krylov;

enum { SEDGE_KRYLOV_NAME = 16 };

// Append the source of the program for a solve on such a device, for `sedge build`, and give its
// name. `preconditioned`: with a preconditioner that is a function. `pipelined`: include the
// kernels of the forms with one sum, which SEDGE_KRYLOV_AUTO may choose for short vectors. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_krylov_text(sedge_text *out, char name[SEDGE_KRYLOV_NAME],
                               const sedge_device_info *info, int real_bytes, bool preconditioned,
                               bool pipelined);

// Create a solver with its vectors and kernels. Collective over `comm` (NULL: this process alone).
// `real_bytes` is 4 (fp32) or 8 (fp64). `preconditioner` NULL: none. Operator, preconditioner and
// options are copied; what they point to, and context and comm, must outlive the solver.
// SEDGE_ERR_USAGE, with the reason, for options that are out of range or a form that is not
// possible.
SEDGE_MUST_USE
sedge_status sedge_krylov_create(sedge_krylov **out, sedge_context *context, const sedge_comm *comm,
                                 int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                 const sedge_krylov_preconditioner *preconditioner,
                                 const sedge_krylov_options *options);
void sedge_krylov_free(sedge_krylov *krylov);

// Solve A x = b. `x` holds the guess and gets the result, whatever the reason for the end. Waits.
// Collective. A solve that does not converge is not a failure of this function; see the reason in
// the result. The function fails if a callback or the device fails. On several ranks the others
// would then wait for ever, so this ends the job with the message. Only SEDGE_ERR_COMPUTE is
// returned, because callbacks must return it on all ranks.
SEDGE_MUST_USE
sedge_status sedge_krylov_solve(sedge_krylov_result *result, sedge_krylov *krylov,
                                const sedge_buffer *b, sedge_buffer *x);
