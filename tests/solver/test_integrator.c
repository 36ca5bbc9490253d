// The tables of the integrators fulfil the eight conditions of order four, their times are their
// row sums, and their stability polynomials reach as far as is documented.
#include "check.h"
#include "time/integrator.h"
#include "time/pass_cost.h"

#include <complex.h>

enum { STAGES = 14 }; // at most

// The tableau of Butcher behind the low-storage form.
typedef struct tableau {
    double A[STAGES][STAGES];
    double b[STAGES];
} tableau;

static tableau expand(const sedge_integrator *method)
{
    double residual[STAGES] = {0.0}; // as a sum of the stages' right-hand sides
    double u[STAGES] = {0.0};
    tableau t;

    memset(&t, 0, sizeof t);
    for (int s = 0; s < method->stages; s++) {
        memcpy(t.A[s], u, sizeof u);
        for (int i = 0; i < STAGES; i++) residual[i] *= method->a[s];
        residual[s] += 1.0;
        for (int i = 0; i < STAGES; i++) u[i] += method->b[s] * residual[i];
    }
    memcpy(t.b, u, sizeof u);
    return t;
}

static void apply(double *out, const tableau *t, const double *v)
{
    for (int i = 0; i < STAGES; i++) {
        out[i] = 0.0;
        for (int j = 0; j < STAGES; j++) out[i] += t->A[i][j] * v[j];
    }
}

// sum b_i x_i y_i
static double sum(const tableau *t, const double *x, const double *y)
{
    double total = 0.0;

    for (int i = 0; i < STAGES; i++) total += t->b[i] * x[i] * y[i];
    return total;
}

// The coefficients are quotients of whole numbers with 13 digits: good to about 1e-13.
static void test_order_four(const sedge_integrator *method)
{
    double one[STAGES];
    const tableau t = expand(method);
    double c[STAGES] = {0.0};
    double row[STAGES], cc[STAGES], Ac[STAGES], Acc[STAGES], AAc[STAGES];

    for (int i = 0; i < STAGES; i++) one[i] = 1.0;
    CHECK(method->stages <= STAGES && method->order == 4);
    memcpy(c, method->c, (size_t)method->stages * sizeof *c);
    CHECK(method->a[0] == 0.0); // the operator does not read the residual before stage 0
    apply(row, &t, one);
    for (int i = 0; i < STAGES; i++) {
        CHECK_BOUND(i < method->stages ? fabs(row[i] - c[i]) : 0.0, 1e-12);
        cc[i] = c[i] * c[i];
    }
    apply(Ac, &t, c);
    apply(Acc, &t, cc);
    apply(AAc, &t, Ac);
    CHECK_BOUND(fabs(sum(&t, one, one) - 1.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, c) - 1.0 / 2.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, c, c) - 1.0 / 3.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, Ac) - 1.0 / 6.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, cc, c) - 1.0 / 4.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, c, Ac) - 1.0 / 8.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, Acc) - 1.0 / 12.0), 1e-12);
    CHECK_BOUND(fabs(sum(&t, one, AAc) - 1.0 / 24.0), 1e-12);
}

// |R(z)| of y' = z y, z = real + i imaginary, one step of length 1.
static double amplify(const sedge_integrator *method, double real, double imaginary)
{
    const double complex z = real + imaginary * (double complex)I;
    double complex residual = 0.0, y = 1.0;

    for (int s = 0; s < method->stages; s++) {
        residual = method->a[s] * residual + z * y;
        y += method->b[s] * residual;
    }
    return cabs(y);
}

// Waves up to `wave`, decay up to 4.65 times the integrator's stability, and not much further: the
// limits that problem.c builds on.
static void test_stability(const sedge_integrator *method, double wave)
{
    const double decay = 4.65 * method->stability;

    for (int i = 1; i <= 100; i++) {
        CHECK_BOUND(amplify(method, 0.0, 0.01 * wave * i), 1.0);
        CHECK_BOUND(amplify(method, -0.01 * decay * i, 0.0), 1.0);
    }
    CHECK_BOUND(4.6 * method->stability / method->oscillation, wave);
    CHECK_BOUND(0.97 * wave, 4.6 * method->stability / method->oscillation);
    CHECK_BOUND(1.0, amplify(method, 0.0, 1.006 * wave));
    CHECK_BOUND(1.0, amplify(method, -1.0043 * decay, 0.0));
}

// Of order 4: half the step has a 32nd of a step's error, which is what |R(z) - exp(z)| gives.
static void test_error(const sedge_integrator *method)
{
    const double error = sedge_integrator_error(method, 0.2);
    const double ratio = error / sedge_integrator_error(method, 0.1);

    CHECK_BOUND(31.0, ratio);
    CHECK_BOUND(ratio, 33.0);
    CHECK_BOUND(fabs(amplify(method, 0.0, 0.2) - 1.0), error);
    CHECK_BOUND(sedge_integrator_error(method, 0.0), 1e-15);
}

// A result of one operation as real numbers of 4 or 8 bytes have it.
static double rounded(double value, int real_bytes)
{
    return real_bytes == 4 ? (double)(float)value : value;
}

// y' = i y with real numbers of 4 or 8 bytes, as kernels advance it: the state goes from one array
// to the other, and where a stage finds the residual, that array has the state before it.
static void advance(const sedge_integrator *method, int real_bytes, double *y, double angle,
                    int steps, bool kept)
{
    double state[2][2] = {{y[0], y[1]}, {(double)NAN, (double)NAN}};
    double residual[2] = {(double)NAN, (double)NAN};
    int at = 0;

    for (int step = 0; step < steps; step++) {
        for (int s = 0; s < method->stages; s++) {
            const sedge_stage stage = kept ? sedge_integrator_stage_kept(method, s, 1.0)
                                           : sedge_integrator_stage(method, real_bytes, s, 1.0);
            const double a = rounded(stage.a, real_bytes), b = rounded(stage.b, real_bytes);
            const double part = rounded(a * rounded(stage.found, real_bytes), real_bytes);
            const double *const u = state[at];
            double *const next = state[1 - at];
            const double rate[2] = {rounded(-u[1] * angle, real_bytes),
                                    rounded(u[0] * angle, real_bytes)};
            for (int i = 0; i < 2; i++) {
                double before = 0.0;
                if (part != 0.0)
                    before = rounded(part * rounded(u[i] - next[i], real_bytes), real_bytes);
                if (part == 0.0 && a != 0.0) before = rounded(a * residual[i], real_bytes);
                const double change = rounded(rate[i] + before, real_bytes);
                residual[i] = stage.drops ? (double)NAN : change;
                next[i] = rounded(u[i] + rounded(b * change, real_bytes), real_bytes);
            }
            at = 1 - at;
        }
    }
    y[0] = state[at][0];
    y[1] = state[at][1];
}

// The root mean square of what 20 steps are off by rounding, from 200 states.
static double find_noise(const sedge_integrator *method, int real_bytes, double angle, bool kept)
{
    const int steps = 20, states = 200;
    double complex residual = 0.0, factor = 1.0;
    double sum = 0.0;

    for (int s = 0; s < method->stages; s++) {
        residual = method->a[s] * residual + angle * (double complex)I * factor;
        factor += method->b[s] * residual;
    }
    factor = cpow(factor, steps);
    for (int i = 0; i < states; i++) {
        double y[2] = {rounded(1.5 * cos(0.37 * i), real_bytes),
                       rounded(1.5 * sin(0.37 * i), real_bytes)};
        const double exact[2] = {creal(factor) * y[0] - cimag(factor) * y[1],
                                 creal(factor) * y[1] + cimag(factor) * y[0]};
        advance(method, real_bytes, y, angle, steps, kept);
        for (int k = 0; k < 2; k++) sum += (y[k] - exact[k]) * (y[k] - exact[k]);
    }
    return sqrt(0.5 * sum / states);
}

// Stages that find residuals round little more than those that read them. In single precision at
// most 1.2 times as much is measured, by lsrk45 at the angle 1; 1e-7 is a rounding of the states.
// In double precision a rounding, 1.1e-16, may enter the state multiplied by 1000 in each of 20
// steps. At the angle 0 nothing moves, nor is anything read that was never written.
static void test_found(const sedge_integrator *method, int real_bytes, int found, bool keeps)
{
    const double angles[] = {0.001, 0.01, 0.1, 0.3, 1.0};
    double resting[2] = {rounded(0.7, real_bytes), rounded(-0.3, real_bytes)};
    const double rest[2] = {resting[0], resting[1]};
    int count = 0;

    for (int s = 0; s < method->stages; s++) {
        const sedge_stage stage = sedge_integrator_stage(method, real_bytes, s, 1.0);
        count += stage.found != 0.0;
        CHECK(stage.turned == (s % 2 == 1));
        CHECK(stage.back == (s == method->stages - 1 && s % 2 == 0));
        if (s + 1 == method->stages) {
            CHECK(stage.drops);
        } else {
            CHECK(stage.drops ==
                  (sedge_integrator_stage(method, real_bytes, s + 1, 1.0).found != 0.0));
        }
    }
    CHECK(count == found && sedge_integrator_keeps(method, real_bytes) == keeps);
    for (int i = 0; i < 5; i++) {
        const double angle = rounded(angles[i], real_bytes);
        CHECK_BOUND(find_noise(method, real_bytes, angle, false),
                    1.5 * find_noise(method, real_bytes, angle, true) +
                        (real_bytes == 4 ? 1e-7 : 1000.0 * 1.1e-16 * 4.5));
    }
    advance(method, real_bytes, resting, 0.0, 100000, false);
    CHECK(resting[0] == rest[0] && resting[1] == rest[1]);
}

// Elements with many poles, at order 3: a step over a plain element's stage, 48 000 elements
// measured (src/kinds/README.md) over 48 000 of 355 914. 0.3: what fits into a cache takes less.
static void test_costs_of_poles(const sedge_integrator *ader)
{
    static const double measured[3][3] = {
        {10, 1.55, 0.32}, {24, 3.80, 0.86}, {48, 7.54, 6.3}}; // ms
    const double plain = 0.2183 * 48000.0 / 355914.0;         // of a stage
    const sedge_integrator *const other = &sedge_integrator_lsrk45;

    for (int i = 0; i < 3; i++) {
        const int words = 6 * (int)measured[i][0];
        const double stages =
            other->stages * sedge_pass_cost(other, 3, SEDGE_PASS_TERMS, words) * plain;
        const double step = sedge_pass_cost(ader, 3, SEDGE_PASS_TERMS, words) * plain;
        CHECK_BOUND(fabs(stages / measured[i][1] - 1.0), 0.3);
        CHECK_BOUND(fabs(step / measured[i][2] - 1.0), 0.3);
        CHECK(sedge_pass_cost(other, 3, SEDGE_PASS_CURVED, words) >
              sedge_pass_cost(other, 3, SEDGE_PASS_TERMS, words));
    }
}

// Each kind of element costs more than the one before, but for those of radial layers, which have
// another order with each integrator. Steps cost more than stages. What ADER's waves cost grows
// with their way by a power of it between the table's columns, here 1 and 10, and beyond the last
// ones; orders above the table's have its last row.
static void test_costs(const sedge_integrator *ader)
{
    const sedge_integrator *const other = &sedge_integrator_lsrk45;

    for (int order = 1; order <= 10; order++) {
        double last = 0.0, last_step = 0.0;
        CHECK(sedge_pass_cost(other, order, SEDGE_PASS_PLAIN, 0) == 1.0);
        CHECK(sedge_pass_face(order) > 1.0 && sedge_pass_face(order) < 3.0);
        for (int k = 0; k < SEDGE_PASS_KINDS; k++) {
            const double stage = sedge_pass_cost(other, order, (sedge_pass_kind)k, 0);
            const double step = sedge_pass_cost(ader, order, (sedge_pass_kind)k, 0);
            if (k == SEDGE_PASS_NODAL || k == SEDGE_PASS_NODES) continue;
            CHECK(k == SEDGE_PASS_COVARIANT_TERMS ? stage == last : stage > last);
            CHECK(step > stage && step > last_step);
            last = stage;
            last_step = step;
        }
        CHECK(sedge_pass_cost(other, order, SEDGE_PASS_NODES, 14) >
              sedge_pass_cost(other, order, SEDGE_PASS_NODAL, 0));
        CHECK(sedge_pass_cost(ader, order, SEDGE_PASS_NODES, 14) >
              sedge_pass_cost(ader, order, SEDGE_PASS_TERMS, 14));
        const double one = sedge_predictor_penalty(order, 1.0);
        const double ten = sedge_predictor_penalty(order, 10.0);
        const double middle = sedge_predictor_penalty(order, sqrt(10.0));
        CHECK(sedge_predictor_penalty(order, 1e-3) == one);
        CHECK(sedge_predictor_penalty(order, 1e4) > sedge_predictor_penalty(order, 1e3));
        CHECK_BOUND(fabs(middle * middle / (one * ten) - 1.0), 1e-14); // rounding
    }
    CHECK(sedge_predictor_penalty(3, 10.0) == 1.86);
    CHECK(sedge_predictor_penalty(4, 100.0) == 2.08);
    CHECK(sedge_predictor_penalty(10, 50.0) == sedge_predictor_penalty(8, 50.0));
    for (int curved = 0; curved < 2; curved++)
        CHECK(sedge_pass_launches(ader, curved) > sedge_pass_launches(other, curved));
    CHECK(sedge_pass_launches(ader, true) > sedge_pass_launches(ader, false));
}

// A table without one of its entries, or with one that cannot be.
static void test_tables(void)
{
    static const double not_finite[] = {0.0, (double)NAN, 0.0, 0.0, 0.0};
    const sedge_integrator whole = sedge_integrator_lsrk45;
    sedge_integrator row = whole;
    const sedge_integrator *const one[] = {&row, NULL};
    const sedge_integrator *const two[] = {&whole, &row, NULL};

    CHECK_OK(sedge_integrators_check(sedge_integrators));
    CHECK_OK(sedge_integrators_check(one));
    CHECK_FAILS(sedge_integrators_check(two), SEDGE_ERR_USAGE,
                "the table of the integrator 'lsrk45': name: another integrator has it already");
    row.name = "other";
    CHECK_OK(sedge_integrators_check(two));
#define WITH(entry, value, message)                                                         \
    {                                                                                       \
        row = whole;                                                                        \
        row.entry = value;                                                                  \
        CHECK_FAILS(sedge_integrators_check(one), SEDGE_ERR_USAGE, #entry ": it " message); \
    }
    WITH(name, NULL, "is required and missing")
    WITH(name, "", "is required and missing")
    WITH(text, NULL, "is required and missing")
    WITH(a, NULL, "is required and missing")
    WITH(b, NULL, "is required and missing")
    WITH(c, NULL, "is required and missing")
    WITH(stages, 0, "must be 1 or more")
    WITH(stability, 0.0, "must be finite and greater than 0")
    WITH(stability, (double)NAN, "must be finite and greater than 0")
    WITH(oscillation, 0.0, "must be finite and greater than 0")
    WITH(radius, -1.0, "must be finite and greater than 0")
    WITH(height, 0.0, "must be finite and greater than 0")
#undef WITH
    row = whole;
    row.predictor = true;
    CHECK_FAILS(sedge_integrators_check(one), SEDGE_ERR_USAGE, "stages: with `predictor` it must");
    row = whole;
    row.a = whole.c + 1; // which begin with another number than 0
    row.stages = 1;
    CHECK_FAILS(sedge_integrators_check(one), SEDGE_ERR_USAGE, "a: its first number must be 0");
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"a: its numbers", "b: its numbers", "c: its numbers"};
        row = whole;
        *(k == 0 ? &row.a : k == 1 ? &row.b : &row.c) = not_finite;
        CHECK_FAILS(sedge_integrators_check(one), SEDGE_ERR_USAGE, names[k]);
    }
}

int main(void)
{
    const double waves[] = {3.34, 6.07};
    const int found[2][2] = {{4, 6}, {4, 11}}; // stages that find residuals: fp32, fp64
    int count = 0;
    int methods = 0; // of Runge-Kutta
    char names[64];

    test_tables();
    for (; sedge_integrators[count] != NULL; count++) {
        if (sedge_integrators[count]->predictor) { // tests/solver/test_local_steps.c
            const sedge_stage stage = sedge_integrator_stage(sedge_integrators[count], 8, 0, 0.5);
            CHECK(sedge_integrators[count]->stages == 1 && stage.a == 1.0 && stage.b == 0.0);
            test_costs(sedge_integrators[count]);
            test_costs_of_poles(sedge_integrators[count]);
        } else {
            test_order_four(sedge_integrators[count]);
            test_found(sedge_integrators[count], 4, found[0][methods], methods == 1);
            test_found(sedge_integrators[count], 8, found[1][methods], methods == 1);
            test_stability(sedge_integrators[count], waves[methods++]);
            test_error(sedge_integrators[count]);
        }
        CHECK(sedge_integrator_find(sedge_integrators[count]->name) == sedge_integrators[count]);
    }
    CHECK(count == 3 && methods == 2);
    CHECK(sedge_integrator_find("euler") == NULL);
    sedge_integrator_names(names, sizeof names);
    CHECK(strcmp(names, "lsrk45 ader ndblsrk144") == 0);
    return CHECK_END();
}
