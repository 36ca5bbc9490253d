#include "linear/chebyshev.h"

#include "base/memory.h"
#include "linear/krylov_solver.h"

#include <assert.h>
#include <math.h>

struct sedge_chebyshev {
    sedge_context *context;
    sedge_krylov_operator op;
    sedge_krylov_preconditioner inner;
    krylov_kernels kernels;
    krylov_kind kind;
    int degree, real_bytes;
    double smallest, largest;
    sedge_buffer *residual, *product, *direction, *weighted; // the last with a vector M
    sedge_buffer *parts;                                     // sums that nobody reads
};

sedge_chebyshev_options sedge_chebyshev_defaults(void)
{
    return (sedge_chebyshev_options){.degree = 4, .ratio = 30.0};
}

// ---- the largest eigenvalue --------------------------------------------------------------------

enum { STEPS_MOST = 64 };

// How many eigenvalues of the symmetric tridiagonal matrix lie below x (Sturm's sequence).
static int count_below(const double *diagonal, const double *beside, int size, double x)
{
    double pivot = 1.0;
    int count = 0;

    for (int i = 0; i < size; i++) {
        pivot = diagonal[i] - x - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0.0);
        if (pivot == 0.0) pivot = 1e-300;
        count += pivot < 0.0;
    }
    return count;
}

static double largest_of(const double *diagonal, const double *beside, int size)
{
    double low = 0.0;
    double high = 0.0;

    for (int i = 0; i < size; i++) { // Gershgorin's bound
        const double radius =
            (i > 0 ? fabs(beside[i - 1]) : 0.0) + (i + 1 < size ? fabs(beside[i]) : 0.0);
        high = fmax(high, diagonal[i] + radius);
    }
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (count_below(diagonal, beside, size, middle) == size) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

// The Lanczos matrix of the steps that conjugate gradients have made (Saad, Iterative methods for
// sparse linear systems, 6.7.3).
static double lanczos(const sedge_krylov *krylov, int steps)
{
    double diagonal[STEPS_MOST];
    double beside[STEPS_MOST];

    for (int j = 0; j < steps; j++) {
        const double *const here = krylov->coefficients + 2 * (int64_t)j;
        const double alpha = here[3]; // of the step from j to j + 1
        diagonal[j] = 1.0 / alpha;
        if (j > 0) diagonal[j] += here[0] / here[-2] / here[1];
        beside[j] = j + 1 < steps ? sqrt(here[2] / here[0]) / alpha : 0.0;
    }
    return largest_of(diagonal, beside, steps);
}

double sedge_krylov_random(int64_t row)
{
    uint64_t word = (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) + 1; // splitmix64

    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(word >> 11) / 4503599627370496.0 - 1.0;
}

static sedge_status fill_random(sedge_buffer *buffer, const sedge_comm *comm, int real_bytes,
                                int64_t rows)
{
    const int64_t first = sedge_comm_scan(comm, rows);
    sedge_status status;
    float *narrow = NULL;
    double *wide = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&narrow, rows, sizeof *narrow));
    SEDGE_TRY_GOTO(status, sedge_allocate(&wide, rows, sizeof *wide));
    for (int64_t i = 0; i < rows; i++) {
        wide[i] = sedge_krylov_random(first + i);
        narrow[i] = (float)wide[i];
    }
    status = sedge_buffer_upload(buffer, 0, real_bytes == 8 ? (const void *)wide : narrow,
                                 rows * real_bytes, NULL);
done:
    sedge_release(narrow);
    sedge_release(wide);
    return status;
}

sedge_status sedge_krylov_largest(double *largest, sedge_context *context, const sedge_comm *comm,
                                  int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                  const sedge_krylov_preconditioner *inner,
                                  const sedge_buffer *start, int steps)
{
    // Once the residual is rounding alone its steps say nothing: where M A has few eigenvalues, as
    // a multiple of the identity, all of them have been found by then.
    sedge_krylov_options options = {.tolerance = real_bytes == 8 ? 1e-10 : 1e-5,
                                    .iterations = steps,
                                    .form = SEDGE_KRYLOV_STANDARD};
    sedge_device *const device = sedge_context_device(context);
    const int64_t bytes = rows * real_bytes;
    sedge_krylov_result result;
    sedge_status status;
    sedge_krylov *krylov = NULL;
    sedge_buffer *random = NULL;
    sedge_buffer *x = NULL;

    assert(steps >= 1 && steps <= STEPS_MOST);
    *largest = 0.0;
    SEDGE_TRY_GOTO(
        status, sedge_krylov_create(&krylov, context, comm, real_bytes, rows, op, inner, &options));
    status = sedge_buffer_create(&x, device, bytes);
    if (status == SEDGE_OK && start == NULL) status = sedge_buffer_create(&random, device, bytes);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (start == NULL) {
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, fill_random(random, comm, real_bytes, rows)));
        start = random;
    }
    krylov->starts_once = true; // a second start would break the tridiagonal matrix
    SEDGE_TRY_GOTO(status, sedge_krylov_solve(&result, krylov, start, x));
    if (krylov->all_rows == 0) goto done;
    if (result.iterations == 0 ||
        (result.reason != SEDGE_KRYLOV_LIMIT && result.reason != SEDGE_KRYLOV_CONVERGED)) {
        SEDGE_TRY_GOTO(status, SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                                          "the largest eigenvalue cannot be estimated: %s (%s)",
                                          sedge_krylov_reason_name(result.reason),
                                          sedge_krylov_reason_text(result.reason)));
    }
    *largest = lanczos(krylov, (int)result.iterations);
done:
    sedge_krylov_free(krylov);
    sedge_buffer_free(random);
    sedge_buffer_free(x);
    return status;
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status find_interval(sedge_chebyshev *chebyshev, const sedge_comm *comm, int64_t rows,
                                  const sedge_chebyshev_options *options)
{
    enum { STEPS = 12 };

    chebyshev->largest = options->largest;
    chebyshev->smallest = options->smallest;
    if (chebyshev->largest == 0.0) {
        SEDGE_TRY(sedge_krylov_largest(&chebyshev->largest, chebyshev->context, comm,
                                       chebyshev->real_bytes, rows, &chebyshev->op,
                                       &chebyshev->inner, NULL, STEPS));
        chebyshev->largest *= 1.1;                               // the estimate is from below
        if (chebyshev->largest == 0.0) chebyshev->largest = 1.0; // there are no rows
    }
    if (chebyshev->smallest == 0.0) chebyshev->smallest = chebyshev->largest / options->ratio;
    if (chebyshev->smallest > 0.0 && chebyshev->smallest < chebyshev->largest) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "eigenvalues from %g to %g are no interval of positive ones",
                      chebyshev->smallest, chebyshev->largest);
}

static sedge_status make_buffers(sedge_chebyshev *chebyshev, int64_t bytes)
{
    sedge_device *const device = sedge_context_device(chebyshev->context);

    SEDGE_TRY(sedge_buffer_create(&chebyshev->residual, device, bytes));
    SEDGE_TRY(sedge_buffer_create(&chebyshev->product, device, bytes));
    SEDGE_TRY(sedge_buffer_create(&chebyshev->direction, device, bytes));
    SEDGE_TRY(sedge_buffer_create(&chebyshev->parts, device,
                                  2L * SEDGE_KRYLOV_SUMS * (int64_t)sizeof(double)));
    if (chebyshev->kind != KRYLOV_VECTOR) return SEDGE_OK;
    return sedge_buffer_create(&chebyshev->weighted, device, bytes);
}

sedge_status sedge_chebyshev_create(sedge_chebyshev **out, sedge_context *context,
                                    const sedge_comm *comm, int real_bytes, int64_t rows,
                                    const sedge_krylov_operator *op,
                                    const sedge_krylov_preconditioner *inner,
                                    const sedge_chebyshev_options *options)
{
    sedge_status status;
    sedge_chebyshev *chebyshev = NULL;

    assert(options->degree >= 1);
    *out = NULL;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_allocate(&chebyshev, 1, sizeof *chebyshev)));
    chebyshev->context = context;
    chebyshev->op = *op;
    if (inner != NULL) chebyshev->inner = *inner;
    chebyshev->kind = chebyshev->inner.diagonal != NULL ? KRYLOV_DIAGONAL
                      : chebyshev->inner.apply != NULL  ? KRYLOV_VECTOR
                                                        : KRYLOV_NONE;
    chebyshev->degree = options->degree;
    chebyshev->real_bytes = real_bytes;
    SEDGE_TRY_GOTO(status, find_interval(chebyshev, comm, rows, options));
    SEDGE_TRY_GOTO(status,
                   sedge_krylov_kernels_create(&chebyshev->kernels, context, comm, real_bytes, rows,
                                               chebyshev->kind, KRYLOV_WITH_CHEBYSHEV));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_buffers(chebyshev, rows * real_bytes)));
    *out = chebyshev;
    chebyshev = NULL;
done:
    sedge_chebyshev_free(chebyshev);
    return status;
}

void sedge_chebyshev_free(sedge_chebyshev *chebyshev)
{
    if (chebyshev == NULL) return;
    sedge_buffer_free(chebyshev->parts);
    sedge_buffer_free(chebyshev->weighted);
    sedge_buffer_free(chebyshev->direction);
    sedge_buffer_free(chebyshev->product);
    sedge_buffer_free(chebyshev->residual);
    sedge_krylov_kernels_free(&chebyshev->kernels);
    sedge_release(chebyshev);
}

void sedge_chebyshev_interval(const sedge_chebyshev *chebyshev, double *smallest, double *largest)
{
    *smallest = chebyshev->smallest;
    *largest = chebyshev->largest;
}

// ---- applying ----------------------------------------------------------------------------------

// One step: residual = from - q (`with_q`), d = older d + newer M residual, z += d.
static sedge_status step(sedge_chebyshev *chebyshev, sedge_stream *stream, const sedge_buffer *from,
                         bool with_q, bool first, double older, double newer, sedge_buffer *z)
{
    const krylov_kernels *const kernels = &chebyshev->kernels;
    const sedge_buffer *source = from;
    bool subtract = with_q;

    if (chebyshev->kind == KRYLOV_VECTOR) {
        const uint64_t parts = sedge_buffer_address(chebyshev->parts);
        if (with_q) {
            SEDGE_TRY(SEDGE_LAUNCH(
                kernels->residual, stream, kernels->blocks, sedge_buffer_argument(from),
                sedge_buffer_argument(chebyshev->product),
                sedge_buffer_argument(chebyshev->residual), sedge_buffer_argument(NULL),
                sedge_address_argument(parts),
                sedge_address_argument(parts + SEDGE_KRYLOV_SUMS * sizeof(double)),
                sedge_int64_argument(kernels->rows), sedge_int64_argument(kernels->chunk)));
            from = chebyshev->residual;
        }
        SEDGE_TRY(
            chebyshev->inner.apply(chebyshev->inner.context, stream, from, chebyshev->weighted));
        source = chebyshev->weighted;
        subtract = false;
    }
    return SEDGE_LAUNCH(kernels->chebyshev, stream, kernels->blocks, sedge_buffer_argument(source),
                        sedge_buffer_argument(chebyshev->product),
                        sedge_buffer_argument(chebyshev->residual),
                        sedge_buffer_argument(chebyshev->inner.diagonal),
                        sedge_buffer_argument(chebyshev->direction), sedge_buffer_argument(z),
                        sedge_double_argument(older), sedge_double_argument(newer),
                        sedge_int32_argument(subtract), sedge_int32_argument(first),
                        sedge_int64_argument(kernels->rows), sedge_int64_argument(kernels->chunk));
}

// Saad, algorithm 12.1.
sedge_status sedge_chebyshev_apply(sedge_chebyshev *chebyshev, sedge_stream *stream, bool guess,
                                   const sedge_buffer *r, sedge_buffer *z)
{
    const sedge_krylov_operator *const op = &chebyshev->op;
    const double theta = 0.5 * (chebyshev->largest + chebyshev->smallest);
    const double delta = 0.5 * (chebyshev->largest - chebyshev->smallest);
    const double sigma = theta / delta;
    double rho = 1.0 / sigma;

    if (guess) SEDGE_TRY(op->apply(op->context, stream, z, chebyshev->product));
    SEDGE_TRY(step(chebyshev, stream, r, guess, !guess, 0.0, 1.0 / theta, z));
    for (int k = 1; k < chebyshev->degree; k++) {
        const double next = 1.0 / (2.0 * sigma - rho);
        const sedge_buffer *const from = k == 1 && !guess ? r : chebyshev->residual;
        SEDGE_TRY(op->apply(op->context, stream, chebyshev->direction, chebyshev->product));
        SEDGE_TRY(step(chebyshev, stream, from, true, false, next * rho, 2.0 * next / delta, z));
        rho = next;
    }
    return SEDGE_OK;
}

static sedge_status apply_as_preconditioner(void *context, sedge_stream *stream,
                                            const sedge_buffer *r, sedge_buffer *z)
{
    return sedge_chebyshev_apply(context, stream, false, r, z);
}

sedge_krylov_preconditioner sedge_chebyshev_preconditioner(sedge_chebyshev *chebyshev)
{
    const bool is_vector = chebyshev->kind == KRYLOV_VECTOR;
    const double vector = (double)chebyshev->kernels.rows * chebyshev->real_bytes;
    const double words = is_vector ? 8.0 : chebyshev->kind == KRYLOV_DIAGONAL ? 7.0 : 6.0;

    return (sedge_krylov_preconditioner){
        .context = chebyshev,
        .apply = apply_as_preconditioner,
        .waits = chebyshev->op.waits || chebyshev->inner.waits,
        .bytes = chebyshev->op.bytes == 0.0
                     ? 0.0
                     : (chebyshev->degree - 1) * chebyshev->op.bytes +
                           chebyshev->degree * (words * vector + chebyshev->inner.bytes),
    };
}
