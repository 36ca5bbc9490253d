// Conjugate gradients on systems whose solution is known: all forms, both precisions, with and
// without preconditioner, on any number of ranks.
#include "check.h"
#include "elementwise/expression.h"
#include "krylov_case.h"
#include "sampled.h"

#include <stdlib.h>

// The 7-point Laplacian on a cube of side^3 with 0 around; condition about 0.4 (side + 1)^2.
static int64_t side;

static int laplacian(int64_t size, int64_t row, int64_t *columns, double *values)
{
    const int64_t i = row % side;
    const int64_t j = row / side % side;
    const int64_t k = row / (side * side);
    const int64_t steps[6] = {-side * side, -side, -1, 1, side, side * side};
    const bool there[6] = {k > 0, j > 0, i > 0, i + 1 < side, j + 1 < side, k + 1 < side};
    int count = 0;

    (void)size;
    for (int n = 0; n < 6; n++) {
        if (n == 3) { // a diagonal that is not the same everywhere gives Jacobi something to do
            columns[count] = row;
            values[count++] = 6.0 + (double)(row % 5);
        }
        if (!there[n]) continue;
        columns[count] = row + steps[n];
        values[count++] = -1.0;
    }
    return count;
}

static krylov_session session;

typedef struct system_of {
    krylov_case matrix;
    double *wanted, *right, *got; // [size]
    sedge_buffer *b, *x, *diagonal;
} system_of;

static void open_system(system_of *s, int real_bytes, int64_t cube)
{
    const int64_t size = cube * cube * cube;
    double *inverse = NULL;

    side = cube;
    memset(s, 0, sizeof *s);
    krylov_case_open(&s->matrix, session.context, session.comm, real_bytes, size, laplacian);
    CHECK_OK(sedge_allocate(&s->wanted, size, sizeof(double)));
    CHECK_OK(sedge_allocate(&s->right, size, sizeof(double)));
    CHECK_OK(sedge_allocate(&s->got, size, sizeof(double)));
    CHECK_OK(sedge_allocate(&inverse, size, sizeof(double)));
    for (int64_t i = 0; i < size; i++) {
        s->wanted[i] = sin(1.0 + 0.37 * (double)i) + 0.01 * (double)(i % 7);
        inverse[i] = 1.0 / (6.0 + (double)(i % 5));
    }
    krylov_case_multiply(&s->matrix, laplacian, s->wanted, s->right);
    s->b = krylov_case_vector(&s->matrix, s->right);
    s->x = krylov_case_vector(&s->matrix, s->got); // zeros
    s->diagonal = krylov_case_vector(&s->matrix, inverse);
    sedge_release(inverse);
}

static void close_system(system_of *s)
{
    sedge_buffer_free(s->b);
    sedge_buffer_free(s->x);
    sedge_buffer_free(s->diagonal);
    sedge_release(s->wanted);
    sedge_release(s->right);
    sedge_release(s->got);
    krylov_case_close(&s->matrix);
}

// M as a callback: the diagonal by way of a vector.
static sedge_status scale(void *context, sedge_stream *stream, const sedge_buffer *r,
                          sedge_buffer *z)
{
    const system_of *const s = context;
    sedge_status status;
    sedge_array *arrays[3] = {NULL};
    const int64_t shape[1] = {s->matrix.rows};
    const sedge_type type = s->matrix.real_bytes == 8 ? SEDGE_FLOAT64 : SEDGE_FLOAT32;

    (void)stream; // the context's
    SEDGE_TRY_GOTO(status, sedge_array_wrap(&arrays[0], session.context, type, 1, shape,
                                            (sedge_buffer *)(uintptr_t)r, 0));
    SEDGE_TRY_GOTO(status, sedge_array_wrap(&arrays[1], session.context, type, 1, shape, z, 0));
    SEDGE_TRY_GOTO(status,
                   sedge_array_wrap(&arrays[2], session.context, type, 1, shape, s->diagonal, 0));
    SEDGE_TRY_GOTO(status, sedge_array_assign(arrays[1], sedge_multiply(sedge_use(arrays[0]),
                                                                        sedge_use(arrays[2]))));
done:
    for (int i = 0; i < 3; i++) sedge_array_free(arrays[i]);
    return status;
}

enum { PLAIN, DIAGONAL, CALLBACK };

static sedge_krylov_result solve(system_of *s, int kind, const sedge_krylov_options *options)
{
    const sedge_krylov_operator op = krylov_case_operator(&s->matrix);
    const sedge_krylov_preconditioner with[] = {[PLAIN] = {0},
                                                [DIAGONAL] = {.diagonal = s->diagonal},
                                                [CALLBACK] = {s, scale, .bytes = 1.0}};
    sedge_krylov_result result = {0};
    sedge_krylov *krylov = NULL;

    CHECK_OK(sedge_krylov_create(&krylov, session.context, session.comm, s->matrix.real_bytes,
                                 s->matrix.rows, &op, &with[kind], options));
    if (krylov == NULL) exit(1);
    CHECK_OK(sedge_krylov_solve(&result, krylov, s->b, s->x));
    krylov_case_values(&s->matrix, s->x, s->got);
    sedge_krylov_free(krylov);
    result.history = NULL; // was the solver's
    return result;
}

// ||got - wanted|| / ||wanted||, and the residual of `got` as the host computes it.
static double error_of(const system_of *s)
{
    double error = 0.0;
    double norm = 0.0;

    for (int64_t i = 0; i < s->matrix.size; i++) {
        error += (s->got[i] - s->wanted[i]) * (s->got[i] - s->wanted[i]);
        norm += s->wanted[i] * s->wanted[i];
    }
    return sqrt(error / norm);
}

static double residual_of(const system_of *s)
{
    double sum = 0.0;
    double *product = NULL;

    CHECK_OK(sedge_allocate(&product, s->matrix.size, sizeof(double)));
    krylov_case_multiply(&s->matrix, laplacian, s->got, product);
    for (int64_t i = 0; i < s->matrix.size; i++)
        sum += (s->right[i] - product[i]) * (s->right[i] - product[i]);
    sedge_release(product);
    return sqrt(sum);
}

static void set_guess(system_of *s, double factor)
{
    double *guess = NULL;

    CHECK_OK(sedge_allocate(&guess, s->matrix.size, sizeof(double)));
    for (int64_t i = 0; i < s->matrix.size; i++) guess[i] = factor * s->wanted[i];
    sedge_buffer_free(s->x);
    s->x = krylov_case_vector(&s->matrix, guess);
    sedge_release(guess);
}

// Every form and kind of preconditioner reaches the known solution, the residuals are what the host
// computes, and M makes it faster. The least eigenvalue is about 1, so the error is at most about
// the residual. `only`: forms whose names contain it, with a look every four iterations.
static void test_forms(int real_bytes, int64_t cube, const char *only)
{
    static const sedge_krylov_form forms[] = {SEDGE_KRYLOV_STANDARD, SEDGE_KRYLOV_SINGLE,
                                              SEDGE_KRYLOV_PIPELINED, SEDGE_KRYLOV_PERSISTENT};
    const bool alone = sedge_comm_size(session.comm) == 1;
    sedge_krylov_options options = sedge_krylov_defaults();
    int64_t plain[3] = {0};
    system_of s;

    options.tolerance = real_bytes == 8 ? 1e-10 : 1e-5;
    options.check = only != NULL ? 4 : 0;
    open_system(&s, real_bytes, cube);
    for (int f = 0; f < (alone ? 4 : 3); f++) {
        if (only != NULL && strstr(sedge_krylov_form_name(forms[f]), only) == NULL) continue;
        for (int kind = PLAIN; kind <= CALLBACK; kind++) {
            if (forms[f] == SEDGE_KRYLOV_PERSISTENT && kind == CALLBACK) continue;
            if (test_is_sampled() && (f > 0 || real_bytes == 4) && kind == CALLBACK) continue;
            options.form = forms[f];
            set_guess(&s, 0.0);
            const sedge_krylov_result result = solve(&s, kind, &options);
            CHECK(result.reason == SEDGE_KRYLOV_CONVERGED && result.form == forms[f]);
            CHECK(result.restarts == 0 && result.iterations > 5);
            CHECK(result.history_count == result.iterations + 1);
            CHECK_BOUND(result.true_residual, result.target);
            CHECK_BOUND(fabs(residual_of(&s) - result.true_residual), 0.05 * result.target);
            CHECK_BOUND(error_of(&s), 10.0 * options.tolerance);
            // The same iterations in every form, but for rounding.
            if (f == 0 || plain[kind] == 0) plain[kind] = result.iterations;
            CHECK(llabs(result.iterations - plain[kind]) <= 1);
        }
    }
    CHECK(plain[DIAGONAL] < plain[PLAIN]);
    CHECK(plain[DIAGONAL] == plain[CALLBACK] || plain[CALLBACK] == 0);
    close_system(&s);
}

// How late the host looks does not change one bit.
static void test_late_look(sedge_krylov_form form, int kind)
{
    static const int looks[] = {2, 50, 1, 7};
    sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_result first = {0};
    double *bits = NULL;
    system_of s;

    open_system(&s, 8, 9);
    CHECK_OK(sedge_allocate(&bits, s.matrix.size, sizeof(double)));
    options.form = form;
    for (int i = 0; i < 4; i++) {
        options.check = looks[i];
        options.no_graphs = i == 2;
        set_guess(&s, 0.0);
        const sedge_krylov_result result = solve(&s, kind, &options);
        if (i == 0) {
            first = result;
            memcpy(bits, s.got, (size_t)s.matrix.size * sizeof(double));
        }
        CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
        CHECK(result.iterations == first.iterations);
        CHECK(result.recursive_residual == first.recursive_residual);
        CHECK(result.true_residual == first.true_residual);
        CHECK(memcmp(bits, s.got, (size_t)s.matrix.size * sizeof(double)) == 0);
    }
    sedge_release(bits);
    close_system(&s);
}

// A good guess needs fewer iterations, the solution itself none; the tolerance is relative to b,
// not to the guess's residual.
static void test_guess(void)
{
    sedge_krylov_options options = sedge_krylov_defaults();
    int64_t iterations[3];
    system_of s;

    open_system(&s, 8, 9);
    options.form = SEDGE_KRYLOV_STANDARD;
    for (int i = 0; i < 3; i++) {
        static const double factors[] = {0.0, 0.9999, 1.0};
        set_guess(&s, factors[i]);
        const sedge_krylov_result result = solve(&s, DIAGONAL, &options);
        iterations[i] = result.iterations;
        CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
        CHECK_BOUND(result.true_residual, 1e-8 * result.right_hand_side);
        CHECK_BOUND(error_of(&s), 1e-7);
        CHECK_BOUND(fabs(result.initial - (1.0 - factors[i]) * result.right_hand_side),
                    1e-12 * result.right_hand_side);
    }
    CHECK(iterations[1] < iterations[0] && iterations[2] == 0);
    // An absolute tolerance larger than the relative one decides.
    options.absolute = 1.0;
    set_guess(&s, 0.0);
    const sedge_krylov_result result = solve(&s, PLAIN, &options);
    CHECK(result.target == 1.0 && result.true_residual <= 1.0);
    CHECK(result.iterations > 0 && result.iterations < iterations[0]);
    close_system(&s);
}

// b = 0: x is 0, whatever it was.
static void test_zero(void)
{
    const sedge_krylov_options options = sedge_krylov_defaults();
    system_of s;

    open_system(&s, 8, 4);
    set_guess(&s, 2.0);
    memset(s.right, 0, (size_t)s.matrix.size * sizeof(double));
    sedge_buffer_free(s.b);
    s.b = krylov_case_vector(&s.matrix, s.right);
    const sedge_krylov_result result = solve(&s, PLAIN, &options);
    CHECK(result.reason == SEDGE_KRYLOV_CONVERGED && result.iterations == 0);
    CHECK(result.true_residual == 0.0);
    for (int64_t i = 0; i < s.matrix.size; i++) CHECK(s.got[i] == 0.0);
    close_system(&s);
}

// No rows, one row; with more ranks than rows.
static void test_tiny(void)
{
    const sedge_krylov_options options = sedge_krylov_defaults();

    for (int64_t cube = 0; cube < 2; cube++) {
        system_of s;
        open_system(&s, 8, cube);
        const sedge_krylov_result result = solve(&s, DIAGONAL, &options);
        CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
        CHECK(result.iterations == cube); // one unknown, one step
        CHECK_BOUND(cube == 1 ? error_of(&s) : 0.0, 1e-14);
        close_system(&s);
    }
}

// Several ranks choose a form by themselves, the same on all.
static void test_auto(void)
{
    sedge_krylov_options options = sedge_krylov_defaults();
    system_of s;

    open_system(&s, 8, 9);
    const sedge_krylov_result result = solve(&s, DIAGONAL, &options);
    int64_t form[2] = {(int64_t)result.form, -(int64_t)result.form};
    sedge_comm_max_int(session.comm, form, 2);
    CHECK(form[0] == -form[1] && result.form != SEDGE_KRYLOV_AUTO);
    CHECK(result.reason == SEDGE_KRYLOV_CONVERGED);
    CHECK_BOUND(error_of(&s), 1e-7);
    close_system(&s);
}

// A solver is used again, with another x, and its history is a residual an iteration.
static void test_again(void)
{
    const sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_result result = {0};
    sedge_krylov *krylov = NULL;
    sedge_buffer *other = NULL;
    system_of s;

    open_system(&s, 8, 9);
    const sedge_krylov_operator op = krylov_case_operator(&s.matrix);
    CHECK_OK(sedge_krylov_create(&krylov, session.context, session.comm, 8, s.matrix.rows, &op,
                                 NULL, &options));
    if (krylov == NULL) exit(1);
    CHECK_OK(sedge_krylov_solve(&result, krylov, s.b, s.x));
    CHECK(result.history_count == result.iterations + 1);
    CHECK(result.history[0] == result.initial);
    CHECK(result.history[result.iterations] == result.recursive_residual);
    CHECK(result.history[result.iterations - 1] > result.target);
    const int64_t iterations = result.iterations;
    other = krylov_case_vector(&s.matrix, s.wanted);
    CHECK_OK(sedge_krylov_solve(&result, krylov, s.b, other));
    CHECK(result.iterations == 0 && result.history_count == 1);
    sedge_buffer_free(other);
    memset(s.got, 0, (size_t)s.matrix.size * sizeof(double));
    other = krylov_case_vector(&s.matrix, s.got);
    CHECK_OK(sedge_krylov_solve(&result, krylov, s.b, other));
    if (sedge_comm_size(session.comm) == 1) CHECK(result.iterations == iterations);
    krylov_case_values(&s.matrix, other, s.got);
    CHECK_BOUND(error_of(&s), 1e-7);
    sedge_buffer_free(other);
    sedge_krylov_free(krylov);
    close_system(&s);
}

int main(int argc, char **argv)
{
    krylov_case_start(&session);
    const bool alone = sedge_comm_size(session.comm) == 1;
    if (argc > 1 && strcmp(argv[1], "small") == 0) { // for sanitizers, which are slow
        test_forms(8, 5, argc > 2 ? argv[2] : "");
        krylov_case_end(&session);
        return CHECK_END();
    }
    test_forms(8, 11, NULL);
    test_forms(4, 11, test_is_sampled() ? "standard" : NULL);
    test_late_look(SEDGE_KRYLOV_STANDARD, DIAGONAL);
    test_late_look(SEDGE_KRYLOV_SINGLE, PLAIN);
    test_late_look(SEDGE_KRYLOV_PIPELINED, DIAGONAL);
    if (alone) test_late_look(SEDGE_KRYLOV_PERSISTENT, PLAIN);
    test_guess();
    test_zero();
    test_tiny();
    test_auto();
    test_again();
    krylov_case_end(&session);
    return CHECK_END();
}
