// Why a solve ends, each reason provoked; Chebyshev iteration and the eigenvalue it needs; options
// that are refused.
#include "check.h"
#include "krylov_case.h"
#include "linear/chebyshev.h"
#include "sampled.h"

#include "device/device.h"

#include <stdlib.h>

enum { SIZE = 200 };

static krylov_session session;

// Tridiagonal, eigenvalues diagonal - 2 cos(k pi / (SIZE + 1)).
static int three(double diagonal, int64_t size, int64_t row, int64_t *columns, double *values)
{
    int count = 0;

    for (int64_t column = row - 1; column <= row + 1; column++) {
        if (column < 0 || column >= size) continue;
        columns[count] = column;
        values[count++] = column == row ? diagonal : -1.0;
    }
    return count;
}

static int definite(int64_t size, int64_t row, int64_t *columns, double *values)
{
    return three(2.0, size, row, columns, values);
}

static int indefinite(int64_t size, int64_t row, int64_t *columns, double *values)
{
    return three(1.0, size, row, columns, values);
}

static int poisoned(int64_t size, int64_t row, int64_t *columns, double *values)
{
    const int count = three(2.0, size, row, columns, values);

    if (row == 150) values[0] = (double)NAN;
    return count;
}

// From the first diagonal entry to the last 2 `decades` decades more.
static int scaled_up(double decades, int64_t size, int64_t row, int64_t *columns, double *values)
{
    const int count = three(2.0, size, row, columns, values);

    for (int k = 0; k < count; k++)
        values[k] *= pow(10.0, decades * (double)(row + columns[k]) / (double)(size - 1));
    return count;
}

// Condition 1e10: residuals go up and down for long.
static int uneven(int64_t size, int64_t row, int64_t *columns, double *values)
{
    return scaled_up(5.0, size, row, columns, values);
}

// The same less so: the standard form gets there, the pipelined one does not.
static int tilted(int64_t size, int64_t row, int64_t *columns, double *values)
{
    return scaled_up(1.5, size, row, columns, values);
}

static int steep(int64_t size, int64_t row, int64_t *columns, double *values)
{
    return scaled_up(1.7, size, row, columns, values);
}

// Neumann conditions at both ends: constants are in the null space.
static int closed(int64_t size, int64_t row, int64_t *columns, double *values)
{
    const int count = three(2.0, size, row, columns, values);

    for (int k = 0; k < count; k++)
        if (columns[k] == row) values[k] = count - 1.0;
    return count;
}

typedef struct attempt {
    krylov_row row;
    int real_bytes;
    sedge_krylov_form form;
    double tolerance;
    int64_t iterations, stagnation; // iterations at most; 0: the default, negative: none
    double diagonal;                // M; 0: none
    double scale;                   // of b; 0: 1
    int check;
} attempt;

// Where a solve gives up, x is of the least residual since the last start, `kept` says of which
// iteration, and it is no worse than the guess. The recursive residual is near the true one so far
// from convergence.
static void check_kept(const sedge_krylov_result *result)
{
    const bool gave_up =
        result->reason == SEDGE_KRYLOV_STAGNATION || result->reason == SEDGE_KRYLOV_DIVERGED;
    const int64_t start = result->doubted != SEDGE_KRYLOV_CONVERGED ? result->doubted_at : 0;
    double least = (double)INFINITY;

    for (int64_t i = start; i < result->history_count; i++) least = fmin(least, result->history[i]);
    if (!gave_up) return;
    CHECK(result->kept < result->iterations && result->history[result->kept] == least);
    CHECK(result->recursive_residual == least && result->true_residual <= result->initial);
    CHECK_BOUND(fabs(result->true_residual - least), 0.01 * least);
}

static double right_hand_side(int i)
{
    return 1.0 + sin(3.0 + i * 1.7);
}

// From x = 0; `got` [SIZE] is what was reached.
static sedge_status run_from_zero(const attempt *wish, sedge_krylov_result *result, double *got)
{
    const double scale = wish->scale != 0.0 ? wish->scale : 1.0;
    sedge_krylov_options options = sedge_krylov_defaults();
    double values[SIZE];
    krylov_case matrix;
    sedge_krylov *krylov = NULL;

    krylov_case_open(&matrix, session.context, session.comm, wish->real_bytes, SIZE, wish->row);
    for (int i = 0; i < SIZE; i++) values[i] = scale * right_hand_side(i);
    sedge_buffer *const b = krylov_case_vector(&matrix, values);
    for (int i = 0; i < SIZE; i++) values[i] = wish->diagonal * (i == 33 ? -1.0 : 1.0);
    sedge_buffer *const m = krylov_case_vector(&matrix, values);
    memset(values, 0, sizeof values);
    sedge_buffer *const x = krylov_case_vector(&matrix, values);
    const sedge_krylov_operator op = krylov_case_operator(&matrix);
    const sedge_krylov_preconditioner with = {.diagonal = wish->diagonal != 0.0 ? m : NULL};

    options.form = wish->form;
    options.tolerance = wish->tolerance;
    options.check = wish->check;
    options.stagnation = wish->stagnation;
    if (wish->iterations != 0) options.iterations = wish->iterations > 0 ? wish->iterations : 0;
    sedge_status status = sedge_krylov_create(&krylov, session.context, session.comm,
                                              wish->real_bytes, matrix.rows, &op, &with, &options);
    if (status == SEDGE_OK) status = sedge_krylov_solve(result, krylov, b, x);
    if (status == SEDGE_OK) check_kept(result);
    krylov_case_values(&matrix, x, got);
    sedge_krylov_free(krylov);
    result->history = NULL; // was the solver's
    sedge_buffer_free(b);
    sedge_buffer_free(m);
    sedge_buffer_free(x);
    krylov_case_close(&matrix);
    return status;
}

static sedge_status run(const attempt *wish, sedge_krylov_result *result, double *x_norm)
{
    double x[SIZE];
    const sedge_status status = run_from_zero(wish, result, x);

    *x_norm = 0.0;
    for (int i = 0; i < SIZE; i++) *x_norm += x[i] * x[i];
    return status;
}

static const sedge_krylov_form forms[] = {SEDGE_KRYLOV_STANDARD, SEDGE_KRYLOV_SINGLE,
                                          SEDGE_KRYLOV_PIPELINED, SEDGE_KRYLOV_PERSISTENT};

// Every reason, in every form, and x is left finite.
static void test_reasons(int form_count)
{
    static const struct {
        attempt wish;
        sedge_krylov_reason reason;
    } cases[] = {
        {{definite, 8, 0, 1e-8, 0, 0, 0.0, 0.0, 0}, SEDGE_KRYLOV_CONVERGED},
        {{definite, 8, 0, 1e-8, 20, 0, 0.0, 0.0, 0}, SEDGE_KRYLOV_LIMIT},
        {{definite, 8, 0, 1e-30, 90, 0, 0.0, 0.0, 0}, SEDGE_KRYLOV_LIMIT},
        {{indefinite, 8, 0, 1e-8, 0, 0, 0.0, 0.0, 0}, SEDGE_KRYLOV_CURVATURE},
        {{definite, 8, 0, 1e-8, 0, 0, -1.0, 0.0, 0}, SEDGE_KRYLOV_PRECONDITIONER},
        {{poisoned, 8, 0, 1e-8, 0, 0, 0.0, 0.0, 0}, SEDGE_KRYLOV_NAN},
        {{uneven, 8, 0, 1e-12, 0, 15, 0.0, 0.0, 0}, SEDGE_KRYLOV_STAGNATION},
        {{closed, 8, 0, 1e-8, 0, 5000, 0.0, 0.0, 0}, SEDGE_KRYLOV_DIVERGED},
    };

    for (int f = 0; f < form_count; f++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            attempt wish = cases[i].wish;
            sedge_krylov_result result = {0};
            double x_norm = 0.0;
            wish.form = forms[f];
            CHECK_OK(run(&wish, &result, &x_norm));
            if (result.reason != cases[i].reason) {
                (void)fprintf(stderr, "  case %d, form %s: %s after %lld\n", (int)i,
                              sedge_krylov_form_name(wish.form),
                              sedge_krylov_reason_name(result.reason),
                              (long long)result.iterations);
            }
            CHECK(result.reason == cases[i].reason);
            CHECK(isfinite(x_norm));
            // Only the standard form has the last word on what digits can feign.
            const bool is_sure = result.reason == SEDGE_KRYLOV_CONVERGED ||
                                 result.reason == SEDGE_KRYLOV_LIMIT ||
                                 result.reason == SEDGE_KRYLOV_NAN;
            CHECK(is_sure || result.form == SEDGE_KRYLOV_STANDARD);
            CHECK(result.first_form == wish.form);
            if (result.reason == SEDGE_KRYLOV_LIMIT) CHECK(result.iterations == wish.iterations);
            if (result.reason == SEDGE_KRYLOV_CONVERGED) {
                CHECK_BOUND(result.true_residual, result.target);
            } else if (result.reason != SEDGE_KRYLOV_NAN) {
                CHECK(result.true_residual > result.target);
            }
            CHECK(strlen(sedge_krylov_reason_text(result.reason)) > 20);
        }
    }
}

// y = A x of `definite`, without what the solver or its case has.
static void multiply_definite(const double *x, double *y)
{
    for (int i = 0; i < SIZE; i++) {
        y[i] = 2.0 * x[i];
        if (i > 0) y[i] -= x[i - 1];
        if (i + 1 < SIZE) y[i] -= x[i + 1];
    }
}

// The iterate of conjugate gradients after so many iterations from 0, as they stand in any book.
// Returns the least residual on the way.
static double iterate_by_hand(int64_t iterations, double *x)
{
    double r[SIZE];
    double p[SIZE];
    double q[SIZE];
    double rr = 0.0;

    for (int i = 0; i < SIZE; i++) {
        x[i] = 0.0;
        r[i] = p[i] = right_hand_side(i);
        rr += r[i] * r[i];
    }
    double least = rr;
    for (int64_t k = 0; k < iterations; k++) {
        double pq = 0.0;
        double next = 0.0;
        multiply_definite(p, q);
        for (int i = 0; i < SIZE; i++) pq += p[i] * q[i];
        for (int i = 0; i < SIZE; i++) {
            x[i] += rr / pq * p[i];
            r[i] -= rr / pq * q[i];
            next += r[i] * r[i];
        }
        for (int i = 0; i < SIZE; i++) p[i] = r[i] + next / rr * p[i];
        rr = next;
        least = fmin(least, rr);
    }
    return sqrt(least);
}

// At the limit x is the iterate of that many iterations, not the one of the least residual, and the
// true residual is its. By rounding the two ways to compute it differ by 2e-12 of x at most, where
// forms carry more by recurrences; the next iterate differs by 1e-2 at least.
static void test_limit(int form_count)
{
    static const int64_t limits[] = {-1, 1, 20, 37};
    bool is_apart = false; // the last iterate from the best

    for (int k = 0; k < form_count * 4; k++) {
        const int64_t limit = limits[k % 4] > 0 ? limits[k % 4] : 0;
        const attempt wish = {definite, 8, forms[k / 4], 1e-8, limits[k % 4], 0, 0.0, 0.0, 0};
        sedge_krylov_result result = {0};
        double x[SIZE];
        double wanted[SIZE];
        double product[SIZE];
        double sums[3] = {0.0}; // squares of: x - wanted, wanted, b - A x
        CHECK_OK(run_from_zero(&wish, &result, x));
        CHECK(result.reason == SEDGE_KRYLOV_LIMIT && result.form == wish.form);
        CHECK(result.iterations == limit && result.kept == limit && result.restarts == 0);
        const double least = iterate_by_hand(limit, wanted);
        multiply_definite(x, product);
        for (int i = 0; i < SIZE; i++) {
            sums[0] += pow(x[i] - wanted[i], 2.0);
            sums[1] += pow(wanted[i], 2.0);
            sums[2] += pow(right_hand_side(i) - product[i], 2.0);
        }
        CHECK_BOUND(sqrt(sums[0]), 1e-10 * sqrt(sums[1]));
        CHECK_BOUND(fabs(result.true_residual - sqrt(sums[2])), 1e-12 * sqrt(sums[2]));
        CHECK_BOUND(fabs(result.recursive_residual - sqrt(sums[2])), 1e-9 * sqrt(sums[2]));
        is_apart = is_apart || result.true_residual > 1.1 * least;
    }
    CHECK(is_apart);
}

// When a solve ends, and what it has come to then, does not depend on when the host looks.
static void test_end_is_the_devices(void)
{
    static const attempt wishes[] = {
        {uneven, 8, SEDGE_KRYLOV_STANDARD, 1e-12, 0, 15, 0.0, 0.0, 0},
        {indefinite, 8, SEDGE_KRYLOV_STANDARD, 1e-8, 0, 0, 0.0, 0.0, 0},
        {definite, 8, SEDGE_KRYLOV_STANDARD, 1e-8, 37, 0, 0.0, 0.0, 0},
        {definite, 4, SEDGE_KRYLOV_STANDARD, 1e-9, 0, 0, 0.0, 0.0, 0}, // starts again
    };

    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        attempt wish = wishes[i];
        sedge_krylov_result often = {0};
        sedge_krylov_result seldom = {0};
        double norms[2] = {0.0, 1.0};
        wish.check = 1;
        CHECK_OK(run(&wish, &often, &norms[0]));
        wish.check = 50;
        CHECK_OK(run(&wish, &seldom, &norms[1]));
        CHECK(often.reason == seldom.reason && often.iterations == seldom.iterations);
        CHECK(often.restarts == seldom.restarts && norms[0] == norms[1]);
        CHECK(often.true_residual == seldom.true_residual);
    }
}

// A definite matrix is never said not to be so, whatever digits a form has lost on the way.
static void test_lost_digits(int form_count)
{
    const bool alone = sedge_comm_size(session.comm) == 1;
    int64_t standard = 0;

    for (int f = 0; f < form_count; f++) {
        // On one rank steep enough that it happens with every vector length of the host.
        const attempt wish = {alone ? steep : tilted, 8, forms[f], 1e-8, 0, 0, 0.0, 0.0, 0};
        sedge_krylov_result result = {0};
        double x_norm = 0.0;
        CHECK_OK(run(&wish, &result, &x_norm));
        CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
        CHECK_BOUND(result.true_residual, result.target);
        // On several ranks replacing the residual keeps it from that, for half as many more steps.
        if (forms[f] == SEDGE_KRYLOV_STANDARD) standard = result.iterations;
        if (forms[f] == SEDGE_KRYLOV_PIPELINED && !alone) {
            CHECK(result.form == forms[f] && 2 * result.iterations < 3 * standard);
        } else if (forms[f] == SEDGE_KRYLOV_PIPELINED) {
            CHECK(result.doubted != SEDGE_KRYLOV_CONVERGED && result.restarts >= 1);
            CHECK(result.form == SEDGE_KRYLOV_STANDARD && result.doubted_at > 0);
            CHECK(result.iterations > result.doubted_at);
        }
    }
}

// Converged is what b - A x itself says, also where fp32 leaves little between the two.
static void test_converged_is_true(void)
{
    int restarts = 0;

    for (double tolerance = 1e-2; tolerance > 1e-4; tolerance *= 0.8) {
        const attempt wish = {definite, 4, SEDGE_KRYLOV_STANDARD, tolerance, 0, 0, 0.0, 0.0, 0};
        sedge_krylov_result result = {0};
        double x_norm = 0.0;
        CHECK_OK(run(&wish, &result, &x_norm));
        CHECK((result.reason == SEDGE_KRYLOV_CONVERGED) == (result.true_residual <= result.target));
        if (result.reason == SEDGE_KRYLOV_CONVERGED) restarts += result.restarts;
    }
    CHECK(restarts > 0); // or it was no test
}

// fp32 reaches about 1e-7 times the condition (1.6e4): the recurrences go on to any tolerance, the
// true residual does not, and both are told.
static void test_apart(void)
{
    const attempt wish = {definite, 4, SEDGE_KRYLOV_STANDARD, 1e-9, 0, 0, 0.0, 0.0, 0};
    sedge_krylov_result result = {0};
    double x_norm;

    CHECK_OK(run(&wish, &result, &x_norm));
    CHECK(result.reason == SEDGE_KRYLOV_APART && result.restarts >= 1);
    CHECK(result.recursive_residual <= result.target);
    CHECK(result.true_residual > 10.0 * result.target);
    CHECK_BOUND(result.true_residual, 1e-2 * result.right_hand_side);
}

static sedge_status copy(void *context, sedge_stream *stream, const sedge_buffer *r,
                         sedge_buffer *z)
{
    (void)context;
    return sedge_buffer_copy(z, r, sedge_buffer_bytes(r), stream);
}

// The form of one kernel has room for small systems only. Nothing of the matrix is read.
static void test_too_large(void)
{
    sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_operator op = {.apply = copy};
    sedge_krylov *krylov = NULL;
    sedge_buffer *offsets = NULL;

    CHECK_OK(sedge_buffer_create(&offsets, session.device, 8));
    op.offsets = op.columns = op.values = offsets;
    options.form = SEDGE_KRYLOV_PERSISTENT;
    CHECK_FAILS(sedge_krylov_create(&krylov, session.context, session.comm, 8, 5000000, &op, NULL,
                                    &options),
                SEDGE_ERR_USAGE, "no room for this matrix of 5000000 rows");
    CHECK(krylov == NULL);
    sedge_buffer_free(offsets);
}

// Where a rank fails alone the job ends: on one only.
static void test_short_vectors(void)
{
    const sedge_krylov_options options = sedge_krylov_defaults();
    const sedge_krylov_operator op = {.apply = copy};
    sedge_krylov_result result;
    sedge_krylov *krylov = NULL;
    sedge_buffer *shorter = NULL, *enough = NULL;

    CHECK_OK(sedge_buffer_create(&shorter, session.device, 72));
    CHECK_OK(sedge_buffer_create(&enough, session.device, 80));
    CHECK_OK(
        sedge_krylov_create(&krylov, session.context, session.comm, 8, 10, &op, NULL, &options));
    CHECK_FAILS(sedge_krylov_solve(&result, krylov, shorter, enough), SEDGE_ERR_USAGE,
                "the right-hand side has 72 bytes; 10 numbers of 8 bytes are needed");
    CHECK_FAILS(sedge_krylov_solve(&result, krylov, enough, shorter), SEDGE_ERR_USAGE,
                "the solution has 72 bytes");
    sedge_krylov_free(krylov);
    sedge_buffer_free(enough);
    sedge_buffer_free(shorter);
}

static void test_refusals(void)
{
    attempt wish = {definite, 8, SEDGE_KRYLOV_STANDARD, -1.0, 0, 0, 0.0, 0.0, 0};
    sedge_krylov_form form;
    sedge_krylov_result result = {0};
    double x_norm;

    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "tolerance -1 is not >= 0");
    wish.tolerance = (double)NAN;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "tolerance");
    wish.tolerance = 1e-8;
    wish.check = 5000;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "every 5000 iterations");
    wish.check = 0;
    wish.iterations = INT64_MAX;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "9223372036854775807 iterations");
    wish.iterations = 0;
    wish.stagnation = -3;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "after -3 iterations");
    wish.stagnation = 0;
    wish.scale = 1e-170;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_COMPUTE, "scale it");
    wish.scale = 1e170;
    CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_COMPUTE, "scale it");
    if (sedge_comm_size(session.comm) > 1) {
        wish.scale = 1.0;
        wish.form = SEDGE_KRYLOV_PERSISTENT;
        CHECK_FAILS(run(&wish, &result, &x_norm), SEDGE_ERR_USAGE, "there are several ranks");
    }
    if (sedge_comm_size(session.comm) == 1) test_too_large();
    if (sedge_comm_size(session.comm) == 1) test_short_vectors();
    CHECK_OK(sedge_krylov_form_parse(&form, "single-reduction"));
    CHECK(form == SEDGE_KRYLOV_SINGLE);
    CHECK_FAILS(sedge_krylov_form_parse(&form, "fast"), SEDGE_ERR_USAGE, "'fast'");
}

// The estimate lies below the largest eigenvalue, 2 + 2 cos(pi / 201), and near. Chebyshev
// iteration of degree d, with M = 1 as a diagonal, as a callback, or absent, is the same
// polynomial; as a preconditioner it needs about a d-th of the iterations.
static void test_chebyshev(void)
{
    const double wanted = 2.0 + 2.0 * cos(acos(-1.0) / (SIZE + 1));
    sedge_chebyshev_options chebyshev_options = sedge_chebyshev_defaults();
    sedge_krylov_options options = sedge_krylov_defaults();
    int64_t iterations[4] = {0};
    double values[SIZE];
    double largest = 0.0;
    krylov_case matrix;

    krylov_case_open(&matrix, session.context, session.comm, 8, SIZE, definite);
    for (int i = 0; i < SIZE; i++) values[i] = 1.0;
    sedge_buffer *const ones = krylov_case_vector(&matrix, values);
    for (int i = 0; i < SIZE; i++) values[i] = sin(3.0 + i * 1.7);
    sedge_buffer *const b = krylov_case_vector(&matrix, values);
    const sedge_krylov_operator op = krylov_case_operator(&matrix);
    const sedge_krylov_preconditioner inner[3] = {{0}, {.diagonal = ones}, {.apply = copy}};

    CHECK_OK(sedge_krylov_largest(&largest, session.context, session.comm, 8, matrix.rows, &op,
                                  NULL, NULL, 12));
    CHECK(largest <= wanted * (1.0 + 1e-12) && largest > 0.93 * wanted);
    chebyshev_options.ratio = 100.0;
    options.form = SEDGE_KRYLOV_STANDARD;
    for (int i = 0; i < 4; i++) {
        sedge_krylov_result result = {0};
        sedge_chebyshev *chebyshev = NULL;
        sedge_krylov *krylov = NULL;
        sedge_krylov_preconditioner with = {0};
        memset(values, 0, sizeof values);
        sedge_buffer *const x = krylov_case_vector(&matrix, values);
        if (i > 0) {
            double interval[2];
            CHECK_OK(sedge_chebyshev_create(&chebyshev, session.context, session.comm, 8,
                                            matrix.rows, &op, &inner[i - 1], &chebyshev_options));
            if (chebyshev == NULL) exit(1);
            sedge_chebyshev_interval(chebyshev, &interval[0], &interval[1]);
            CHECK_BOUND(fabs(interval[1] - 1.1 * largest), 1e-9);
            CHECK_BOUND(fabs(interval[0] - 0.01 * interval[1]), 1e-12);
            with = sedge_chebyshev_preconditioner(chebyshev);
        }
        CHECK_OK(sedge_krylov_create(&krylov, session.context, session.comm, 8, matrix.rows, &op,
                                     &with, &options));
        if (krylov == NULL) exit(1);
        CHECK_OK(sedge_krylov_solve(&result, krylov, b, x));
        CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
        CHECK_BOUND(result.true_residual, result.target);
        iterations[i] = result.iterations;
        sedge_krylov_free(krylov);
        sedge_chebyshev_free(chebyshev);
        sedge_buffer_free(x);
    }
    CHECK(5 * iterations[1] < 2 * iterations[0]);
    CHECK(llabs(iterations[2] - iterations[1]) <= 1 && llabs(iterations[3] - iterations[1]) <= 1);
    sedge_buffer_free(b);
    sedge_buffer_free(ones);
    krylov_case_close(&matrix);
}

static int multiple(int64_t size, int64_t row, int64_t *columns, double *values)
{
    (void)size;
    columns[0] = row;
    values[0] = 0.3;
    return 1;
}

static int of_few_values(int64_t size, int64_t row, int64_t *columns, double *values)
{
    const double few[] = {1.0, 0.001, 7.0};

    (void)size;
    columns[0] = row;
    values[0] = few[row % 3];
    return 1;
}

// Pairs of rows with the eigenvalues 1 and 3.
static int of_blocks(int64_t size, int64_t row, int64_t *columns, double *values)
{
    int count = 0;

    for (int64_t column = row / 2 * 2; column <= row / 2 * 2 + 1 && column < size; column++) {
        columns[count] = column;
        values[count++] = column == row ? 2.0 : -1.0;
    }
    return count;
}

// Where the operator has few eigenvalues the iteration converges in as many steps, and the estimate
// is exact: 1e-9 is above what a residual of 1e-10 leaves; fp32 stops at 1e-5. Another scale makes
// other bits of the rounding that is left.
static void test_estimate_ends(void)
{
    const struct {
        krylov_row row;
        int64_t size;
        double wanted;
    } cases[] = {
        {multiple, 1, 0.3},         {multiple, 2, 0.3},  {multiple, 50, 0.3},
        {of_few_values, SIZE, 7.0}, {of_blocks, 2, 3.0}, {of_blocks, SIZE, 3.0},
        {of_few_values, 2, 1.0},
    };

    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const int real_bytes = i % 2 == 0 ? 8 : 4;
        const double error = real_bytes == 8 ? 1e-9 : 1e-4;
        const double wanted = cases[i / 2].wanted;
        const sedge_chebyshev_options options = sedge_chebyshev_defaults();
        sedge_chebyshev *chebyshev = NULL;
        double largest = 0.0;
        krylov_case matrix;

        krylov_case_open(&matrix, session.context, session.comm, real_bytes, cases[i / 2].size,
                         cases[i / 2].row);
        const sedge_krylov_operator op = krylov_case_operator(&matrix);
        CHECK_OK(sedge_krylov_largest(&largest, session.context, session.comm, real_bytes,
                                      matrix.rows, &op, NULL, NULL, 12));
        CHECK_BOUND(fabs(largest - wanted), error * wanted);
        CHECK_OK(sedge_chebyshev_create(&chebyshev, session.context, session.comm, real_bytes,
                                        matrix.rows, &op, NULL, &options));
        sedge_chebyshev_free(chebyshev);
        krylov_case_close(&matrix);
    }
    krylov_case matrix;
    double largest = 0.0;
    krylov_case_open(&matrix, session.context, session.comm, 8, SIZE, indefinite);
    const sedge_krylov_operator op = krylov_case_operator(&matrix);
    CHECK_FAILS(sedge_krylov_largest(&largest, session.context, session.comm, 8, matrix.rows, &op,
                                     NULL, NULL, 12),
                SEDGE_ERR_COMPUTE, "cannot be estimated: negative curvature");
    krylov_case_close(&matrix);
}

// With a guess: one application is an affine map whose fixed point is the solution.
static void test_chebyshev_guess(void)
{
    sedge_chebyshev_options options = {.degree = 3, .smallest = 0.04, .largest = 4.0};
    double wanted[SIZE];
    double right[SIZE];
    double got[SIZE];
    double error = 0.0;
    krylov_case matrix;
    sedge_chebyshev *chebyshev = NULL;
    sedge_stream *const stream = sedge_context_stream(session.context);

    krylov_case_open(&matrix, session.context, session.comm, 8, SIZE, definite);
    for (int i = 0; i < SIZE; i++) wanted[i] = cos(0.1 * i * i);
    krylov_case_multiply(&matrix, definite, wanted, right);
    sedge_buffer *const r = krylov_case_vector(&matrix, right);
    sedge_buffer *const z = krylov_case_vector(&matrix, wanted);
    const sedge_krylov_operator op = krylov_case_operator(&matrix);
    CHECK_OK(sedge_chebyshev_create(&chebyshev, session.context, session.comm, 8, matrix.rows, &op,
                                    NULL, &options));
    if (chebyshev == NULL) exit(1);
    CHECK_OK(sedge_chebyshev_apply(chebyshev, stream, true, r, z));
    CHECK_OK(sedge_stream_wait(stream));
    krylov_case_values(&matrix, z, got);
    for (int i = 0; i < SIZE; i++) error = fmax(error, fabs(got[i] - wanted[i]));
    CHECK_BOUND(error, 1e-13);
    sedge_chebyshev_free(chebyshev);
    sedge_buffer_free(r);
    sedge_buffer_free(z);
    krylov_case_close(&matrix);
}

// On an eigenvector the polynomial is known: z = (1 - T(x) / T(x0)) / lambda v, with T of the
// degree, x = (theta - lambda) / delta and x0 = theta / delta.
static void test_chebyshev_polynomial(void)
{
    sedge_chebyshev_options options = {.degree = 3, .smallest = 1.0, .largest = 4.0};
    const double theta = 2.5;
    const double delta = 1.5;
    sedge_stream *const stream = sedge_context_stream(session.context);
    double vector[SIZE];
    double got[SIZE];
    krylov_case matrix;
    sedge_chebyshev *chebyshev = NULL;

    krylov_case_open(&matrix, session.context, session.comm, 8, SIZE, definite);
    const sedge_krylov_operator op = krylov_case_operator(&matrix);
    CHECK_OK(sedge_chebyshev_create(&chebyshev, session.context, session.comm, 8, matrix.rows, &op,
                                    NULL, &options));
    if (chebyshev == NULL) exit(1);
    for (int mode = 20; mode <= 200; mode += 60) {
        const double angle = mode * acos(-1.0) / (SIZE + 1);
        const double lambda = 2.0 - 2.0 * cos(angle);
        const double x = (theta - lambda) / delta;
        const double x0 = theta / delta;
        const double wanted =
            (1.0 - (4.0 * x * x * x - 3.0 * x) / (4.0 * x0 * x0 * x0 - 3.0 * x0)) / lambda;
        double error = 0.0;
        for (int i = 0; i < SIZE; i++) vector[i] = sin(angle * (i + 1));
        sedge_buffer *const r = krylov_case_vector(&matrix, vector);
        sedge_buffer *const z = krylov_case_vector(&matrix, vector);
        CHECK_OK(sedge_chebyshev_apply(chebyshev, stream, false, r, z));
        CHECK_OK(sedge_stream_wait(stream));
        krylov_case_values(&matrix, z, got);
        for (int i = 0; i < SIZE; i++) error = fmax(error, fabs(got[i] - wanted * vector[i]));
        CHECK_BOUND(error, 1e-13 / lambda);
        sedge_buffer_free(r);
        sedge_buffer_free(z);
    }
    sedge_chebyshev_free(chebyshev);
    krylov_case_close(&matrix);
}

int main(void)
{
    krylov_case_start(&session);
    const int form_count = test_is_sampled() ? 1 : sedge_comm_size(session.comm) == 1 ? 4 : 3;
    test_reasons(form_count);
    test_end_is_the_devices();
    if (!test_is_sampled()) {
        test_lost_digits(form_count);
        test_chebyshev();
        test_limit(form_count);
        test_apart();
        test_converged_is_true();
        test_refusals();
        test_estimate_ends();
        test_chebyshev_guess();
        test_chebyshev_polynomial();
    }
    krylov_case_end(&session);
    return CHECK_END();
}
