// Poles of the permittivity and of the permeability (solvers/maxwell/dispersion_kind.h), in the
// slow reference: the modes of a filled cavity against their equations, and the largest stable
// step.
//
// A box with conducting walls keeps the shape of its modes, whatever the medium that fills it:
// E = e(t) A(x), H = -h(t) curl A(x), curl curl A = k^2 A, and the polarisations of a pole are p(t)
// A or -m(t) curl A:
//   epsilon e' = -k^2 h - sum p',   mu h' = e - sum m'.
#include "check.h"
#include "dg/case.h"
#include "dg/exponential.h"
#include "dg/predictor.h"
#include "dg/term_kind.h"
#include "sampled.h"

#include <stdlib.h>
#include <string.h>

#define PI      3.14159265358979323846
#define TURN    (2.0 * PI)
#define K2      (3.0 * PI * PI) // of the mode 1, 1, 1 in a box of size 1
#define POLES   40              // at most
#define STATE   (2 + 2 * POLES) // e, h, then polarisation and its rate of each pole
#define EPSILON 1.4
#define MU      1.2

extern const sedge_integrator sedge_integrator_ader;
extern const sedge_term_kind sedge_term_debye;
extern const sedge_term_kind sedge_term_drude;
extern const sedge_term_kind sedge_term_lorentz;
extern const sedge_term_kind sedge_term_magnetic_debye;
extern const sedge_term_kind sedge_term_magnetic_drude;
extern const sedge_term_kind sedge_term_magnetic_lorentz;

static const sedge_comm *world;

// ---- the equations of the mode -----------------------------------------------------------------

// Angular: strength, relaxation time; omega_p, gamma; strength, omega_0, gamma.
typedef struct pole {
    char law; // d, f (free electrons), r (resonance)
    bool magnetic;
    double a, b, c;
} pole;

typedef struct mode {
    double epsilon, mu;
    pole poles[POLES]; // those behind the last have law 0
} mode;

static void find_slope(const mode *of, const double *y, double *slope)
{
    double current[2] = {0.0, 0.0}; // sums of the polarisations' rates

    for (int i = 0; i < POLES && of->poles[i].law != 0; i++) {
        const pole *const p = &of->poles[i];
        const double *const own = y + 2 + 2 * (ptrdiff_t)i;
        double *const to = slope + 2 + 2 * (ptrdiff_t)i;
        const double field = y[p->magnetic];
        if (p->law == 'd') {
            to[0] = (p->a * field - own[0]) / p->b;
            to[1] = 0.0;
        } else {
            to[0] = own[1];
            to[1] = p->law == 'f' ? p->a * p->a * field - p->b * own[1]
                                  : p->b * p->b * (p->a * field - own[0]) - p->c * own[1];
        }
        current[p->magnetic] += to[0];
    }
    slope[0] = (-K2 * y[1] - current[0]) / of->epsilon;
    slope[1] = (y[0] - current[1]) / of->mu;
}

// The state at time t of what starts with e = 1: classical Runge-Kutta with steps that leave 1e-11.
static void solve(const mode *of, double t, double *y)
{
    const int steps = 4000;
    const double dt = t / steps;

    memset(y, 0, STATE * sizeof *y);
    y[0] = 1.0;
    for (int i = 0; i < steps; i++) {
        const double at[4] = {0.0, 0.5, 0.5, 1.0};
        const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        double slope[STATE] = {0.0};
        double sum[STATE] = {0.0};
        for (int s = 0; s < 4; s++) {
            double u[STATE];
            for (int k = 0; k < STATE; k++) u[k] = y[k] + at[s] * dt * slope[k];
            find_slope(of, u, slope);
            for (int k = 0; k < STATE; k++) sum[k] += weight[s] * dt * slope[k];
        }
        for (int k = 0; k < STATE; k++) y[k] += sum[k];
    }
}

// Published values (T = 1, epsilon = mu = 1): the equations above are those of the media.
static void test_equations(void)
{
    static const mode modes[] = {{1.0, 1.0, {{'f', false, 6.0, 0.4, 0.0}}},
                                 {1.0, 1.0, {{'d', false, 2.0, 0.3, 0.0}}},
                                 {1.0, 1.0, {{'r', false, 1.5, 5.0, 0.4}}}};
    static const double e[] = {-0.2042623, -0.0915295, -0.8463100};
    static const double h[] = {0.1109703, -0.0369959, 0.0328846};

    for (int i = 0; i < 3; i++) {
        double y[STATE];
        solve(&modes[i], 1.0, y);
        CHECK_BOUND(fabs(y[0] - e[i]), 1e-7);
        CHECK_BOUND(fabs(y[1] - h[i]), 1e-7);
    }
}

// ---- the reference -----------------------------------------------------------------------------

static const sedge_term_kind *kind_of(const pole *p)
{
    if (p->law == 'd') return p->magnetic ? &sedge_term_magnetic_debye : &sedge_term_debye;
    if (p->law == 'f') return p->magnetic ? &sedge_term_magnetic_drude : &sedge_term_drude;
    return p->magnetic ? &sedge_term_magnetic_lorentz : &sedge_term_lorentz;
}

static dg_term term_of(const pole *p)
{
    const dg_term term = {kind_of(p), "domain", {p->a, p->b, p->c / TURN}};

    if (p->law == 'd') return term;
    if (p->law == 'f') return (dg_term){term.kind, "domain", {p->a / TURN, p->b / TURN, 0.0}};
    return (dg_term){term.kind, "domain", {p->a, p->b / TURN, p->c / TURN}};
}

// The exact fields into c->exact. Without poles the mode swings with E = A cos(w t),
// H = -(1/mu) curl A sin(w t) / w.
static void set_exact(dg_case *c, const double *y)
{
    const double w = sqrt(K2 / (EPSILON * MU));
    const int64_t n = c->element->nodes;
    double *const e = c->rhs;

    sedge_reference_initial(c->reference, 0.5 * PI / w, 1, c->exact);
    for (int64_t i = 0; i < c->values; i++) c->exact[i] *= i / n % 6 < 3 ? 0.0 : y[1] * w * MU;
    sedge_reference_initial(c->reference, 0.0, 1, e);
    for (int64_t i = 0; i < c->values; i++) c->exact[i] += y[0] * e[i];
}

// Cells and order resolve the mode to 0.5 % of the fields at the start; a wrong sign or factor
// gives some 10 %. `stiff`: all poles are exponential.
static void test_mode(const mode *of, const sedge_integrator *integrator, bool stiff)
{
    static const double material[3] = {EPSILON, MU, 0.0};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 4, 2);
    dg_term terms[POLES + 1];
    double y[STATE];
    dg_case c;
    int count = 0;

    for (; count < POLES && of->poles[count].law != 0; count++)
        terms[count] = term_of(&of->poles[count]);
    terms[count] = (dg_term){NULL, NULL, {0.0}};
    options.wall = "pec";
    options.initial = "cavity-mode";
    options.integrator = integrator;
    options.materials[0] = options.materials[1] = material;
    options.terms = terms;
    options.exponential = stiff ? 0.85 : 0.0;
    CHECK_OK(dg_case_create(&c, world, &options));
    for (int i = 0; i < c.problem.term_count && stiff; i++) CHECK(c.problem.terms[i].exponential);
    dg_case_start(&c, 0.0);
    CHECK_OK(dg_case_run(&c, 0.6, 0.85));
    solve(of, 0.6, y);
    set_exact(&c, y);
    const double error = dg_case_norm(&c, c.u, c.exact);
    CHECK_BOUND(error / dg_case_norm(&c, c.rhs, NULL), 6e-3); // rhs: the fields at the start
    dg_case_clear(&c);
}

static void test_modes(void)
{
    static const mode modes[] = {
        {EPSILON, MU, {{'d', false, 2.0, 0.3, 0.0}, {'d', false, 0.5, 0.08, 0.0}}},
        {EPSILON, MU, {{'f', false, 6.0, 0.4, 0.0}}},
        {EPSILON, MU, {{'r', false, 1.5, 5.0, 0.4}, {'r', false, 0.7, 8.0, 0.0}}},
        {EPSILON, MU, {{'d', true, 2.0, 0.3, 0.0}}},
        {EPSILON, MU, {{'f', true, 6.0, 0.4, 0.0}}},
        {EPSILON, MU, {{'r', true, 1.5, 5.0, 0.4}}},
        {EPSILON,
         MU,
         {{'d', false, 1.0, 0.2, 0.0}, {'f', false, 3.0, 1.0, 0.0}, {'r', true, 0.8, 6.0, 0.7}}},
    };

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i += test_is_small() ? 3 : 1)
        test_mode(&modes[i], &sedge_integrator_lsrk45, false);
}

// Long lists of poles, spread over a decade: that of permeability drives the same mode.
static void test_many_poles(void)
{
    mode resonances = {.epsilon = EPSILON, .mu = MU};
    mode relaxations = {.epsilon = EPSILON, .mu = MU};

    for (int i = 0; i < 12; i++)
        resonances.poles[i] = (pole){'r', i >= 8, 0.15, 2.0 * pow(1.2, i), 0.1 * i};
    for (int i = 0; i < POLES; i++)
        relaxations.poles[i] = (pole){'d', false, 0.02 + 0.003 * i, 0.1 * pow(1.06, i), 0.0};
    test_mode(&resonances, &sedge_integrator_lsrk45, false);
    test_mode(&relaxations, &sedge_integrator_lsrk45, false);
}

// n poles of strength s / n are one of strength s: the sums' rounding is all that differs, and the
// memory of each is the n-th part of that of one.
static void test_equal_poles(void)
{
    static const double material[3] = {EPSILON, MU, 0.0};
    static const pole laws[] = {
        {'d', false, 2.0, 0.3, 0.0}, {'f', true, 6.0, 0.4, 0.0}, {'r', false, 1.5, 5.0, 0.4}};
    const int count[2] = {1, 24};
    dg_case c[2];

    for (int law = 0; law < 3; law++) {
        double worst = 0.0;
        for (int k = 0; k < 2; k++) {
            dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 2, 1);
            dg_term terms[POLES + 1] = {{NULL, NULL, {0.0}}};
            pole part = laws[law];
            part.a /= part.law == 'f' ? sqrt(count[k]) : count[k];
            for (int i = 0; i < count[k]; i++) terms[i] = term_of(&part);
            options.wall = "pec";
            options.initial = "cavity-mode";
            options.materials[0] = options.materials[1] = material;
            options.terms = terms;
            CHECK_OK(dg_case_create(&c[k], world, &options));
            CHECK(c[k].problem.term_count == 1 && c[k].problem.terms[0].poles == count[k]);
            dg_case_start(&c[k], 0.0);
            for (int s = 0; s < 20; s++)
                CHECK_OK(sedge_reference_step(c[k].reference, c[k].u, 0.02 * s, 0.02));
        }
        for (int64_t i = 0; i < c[0].values; i++) worst = fmax(worst, fabs(c[0].u[i] - c[1].u[i]));
        CHECK_BOUND(worst, 1e-13);
        const double *const one = sedge_reference_memory(c[0].reference, 0);
        const double *const last = sedge_reference_memory(c[1].reference, 0) +
                                   23 * (int64_t)kind_of(&laws[law])->memory * c[0].element->nodes;
        for (int k = 0; k < kind_of(&laws[law])->memory * c[0].element->nodes; k++)
            worst = fmax(worst, fabs(one[k] - 24.0 * last[k]));
        CHECK_BOUND(worst, 1e-12);
        for (int k = 0; k < 2; k++) dg_case_clear(&c[k]);
    }
}

// ---- stiff poles -------------------------------------------------------------------------------

// The polarisation of a static field.
static void start_memory(dg_case *c, const pole *of, int poles)
{
    const int64_t n = c->element->nodes;
    double *memory = poles > 0 ? sedge_reference_memory(c->reference, 0) : NULL;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        for (int p = 0; p < poles; p++) {
            const double *const field = c->u + (6 * e + (of[p].magnetic ? 3 : 0)) * n;
            const double factor = of[p].law == 'd' ? of[p].a : of[p].a * of[p].a / of[p].b;
            for (int64_t k = 0; k < 3 * n; k++) *memory++ = factor * field[k];
        }
    }
}

// Fields of a mode at t = 0.5 in `steps` steps, in a medium whose poles are exponential.
static void run_stiff(dg_case *c, double epsilon, const pole *of, int poles, int steps)
{
    static const double central = 0.0;
    const double material[3] = {epsilon, MU, 0.0};
    dg_term terms[POLES] = {{NULL, NULL, {0.0}}};
    dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 2, 1);

    for (int p = 0; p < poles; p++) terms[p] = term_of(&of[p]);
    options.wall = "pec";
    options.initial = "cavity-mode";
    options.materials[0] = options.materials[1] = material;
    options.flux_keys = &central;
    options.terms = terms;
    options.exponential = 0.85;
    CHECK_OK(dg_case_create(c, world, &options));
    CHECK(poles == 0 || c->problem.terms[0].exponential);
    dg_case_start(c, 0.0);
    start_memory(c, of, poles);
    for (int s = 0; s < steps; s++)
        CHECK_OK(sedge_reference_step(c->reference, c->u, 0.5 * s / steps, 0.5 / steps));
}

// Infinitely fast Debye poles are a permittivity: with central fluxes, which do not know the
// impedance, to the rounding of some hundred operations; 1e-13 of the polarisation lags.
static void test_fast_limit(void)
{
    static const pole fast[] = {{'d', false, 15.0, 1e-13, 0.0}, {'d', false, 5.0, 3e-14, 0.0}};

    for (int poles = 1; poles <= 2; poles++) {
        dg_case with, without;
        double worst = 0.0;
        run_stiff(&with, EPSILON, fast, poles, 12);
        run_stiff(&without, EPSILON + (poles > 1 ? 20.0 : 15.0), NULL, 0, 12);
        for (int64_t i = 0; i < with.values; i++)
            worst = fmax(worst, fabs(with.u[i] - without.u[i]));
        CHECK_BOUND(worst, 1e-11);
        dg_case_clear(&with);
        dg_case_clear(&without);
    }
}

// More poles than sedge_exponential_size knows stay in the stages.
static void test_longest_stiff(void)
{
    static const double material[3] = {EPSILON, MU, 0.0};

    for (int poles = SEDGE_EXPONENTIAL_SIZE - 1; poles <= SEDGE_EXPONENTIAL_SIZE; poles++) {
        dg_case_options options = dg_case_defaults(sedge_equation_find("maxwell"), 1, 1);
        dg_term terms[POLES] = {{NULL, NULL, {0.0}}};
        dg_case c;
        for (int i = 0; i < poles; i++) terms[i] = term_of(&(pole){'d', false, 1.0, 1e-6, 0.0});
        options.wall = "pec";
        options.materials[0] = options.materials[1] = material;
        options.terms = terms;
        options.exponential = 0.85;
        CHECK_OK(dg_case_create(&c, world, &options));
        CHECK(c.problem.terms[0].exponential == (poles < SEDGE_EXPONENTIAL_SIZE));
        dg_case_clear(&c);
    }
}

// y = (F, w of each pole, the integral of F) over dt, where N adds to dF/dt: by the classic
// Runge-Kutta method in steps that are 1/300 of the fastest relaxation here or less.
static void relax(double *y, const pole *of, int poles, double inverse, double source, double dt)
{
    enum { STEPS = 20000 };

    for (int s = 0; s < STEPS; s++) {
        double now[POLES + 2], rate[POLES + 2] = {0.0}, sum[POLES + 2] = {0.0};
        for (int q = 0; q < 4; q++) {
            const double part = dt / STEPS * (q == 0 ? 0.0 : q == 3 ? 1.0 : 0.5);
            for (int i = 0; i < poles + 2; i++) now[i] = y[i] + part * rate[i];
            rate[0] = source;
            rate[poles + 1] = now[0];
            for (int p = 0; p < poles; p++) {
                const double a = of[p].a, b = of[p].b, w = now[1 + p];
                rate[1 + p] = of[p].law == 'd' ? (a * now[0] - w) / b : a * a * now[0] - b * w;
                rate[0] -= inverse * (of[p].law == 'd' ? rate[1 + p] : w);
            }
            for (int i = 0; i < poles + 2; i++) sum[i] += (q % 3 == 0 ? 1.0 : 2.0) / 6.0 * rate[i];
        }
        for (int i = 0; i < poles + 2; i++) y[i] += dt / STEPS * sum[i];
    }
}

// The modes of cavities filled with them, from polarisations of 0: at first the field relaxes.
static void test_stiff_modes(void)
{
    static const mode modes[] = {
        {EPSILON, MU, {{'d', false, 2.0, 2e-3, 0.0}, {'d', false, 0.5, 0.3, 0.0}}},
        {EPSILON, MU, {{'d', true, 2.0, 1e-3, 0.0}}},
        {EPSILON, MU, {{'f', false, 20.0, 500.0, 0.0}}}};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i += test_is_small() ? 3 : 1) {
        test_mode(&modes[i], &sedge_integrator_lsrk45, true);
        test_mode(&modes[i], &sedge_integrator_ader, true);
    }
}

// A step with a prediction, of half a relaxation time to sixty, is the law's own for a constant N;
// so are the prediction's beginning and what of N is in its mean.
static void test_stiff_step(void)
{
    static const struct {
        int poles;
        pole of[2];
    } media[] = {{1, {{'d', false, 20.0, 2e-3, 0.0}}},
                 {1, {{'d', true, 4.0, 0.02, 0.0}}},
                 {1, {{'f', false, 20.0, 900.0, 0.0}}},
                 {2, {{'d', false, 20.0, 2e-3, 0.0}, {'d', false, 5.0, 0.03, 0.0}}}};

    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        dg_case c;
        const pole *const of = media[i].of;
        const int poles = media[i].poles, n = poles + 1;
        const double source = 3.0;
        run_stiff(&c, EPSILON, of, poles, 0);
        c.problem.integrator = &sedge_integrator_ader;
        const double rate = sedge_problem_rate(&c.problem, c.mesh, 0);
        c.problem.term_count = 0; // the waves' alone
        CHECK_BOUND(fabs(0.89 * rate - sedge_problem_rate(&c.problem, c.mesh, 0)), 1e-12 * rate);
        c.problem.term_count = 1;
        const double inverse = 1.0 / (of->magnetic ? MU : EPSILON);
        const double fastest = of->law == 'f' ? of->b : (1.0 + of->a * inverse) / of->b;
        for (double dt = 0.5 / fastest; dt < 70.0 / fastest; dt *= 11.0) {
            double numbers[(SEDGE_EXPONENTIAL_SIZE + 2) * SEDGE_EXPONENTIAL_SIZE];
            double m[SEDGE_MAX_MATERIALS];
            double exact[POLES + 2] = {0.7, -3.0, 0.9}, alone[POLES + 2] = {0.7, -3.0, 0.9};
            double none[POLES + 2] = {0.0}, y[3] = {0.0}, rest = 0.0;
            exact[n] = alone[n] = 0.0;
            sedge_exponential_step(numbers, &c.problem, c.problem.terms, 0, dt);
            sedge_exponential_materials(m, &c.problem, 0, dt);
            for (int k = 0; k < n; k++) {
                for (int j = 0; j < n; j++) y[k] += numbers[k * n + j] * exact[j];
                rest += numbers[n * n + k] * exact[k];
            }
            relax(exact, of, poles, inverse, source, dt);
            relax(alone, of, poles, inverse, 0.0, dt);
            relax(none, of, poles, inverse, source, dt);
            CHECK_BOUND(fabs(y[0] - alone[n] / dt), 1e-9);
            const double slowed = m[of->magnetic] / c.problem.materials[0][of->magnetic];
            CHECK_BOUND(fabs(slowed * dt * source / 2.0 - none[n] / dt), 1e-9);
            const double x = y[0] + rest + dt * source;
            for (int k = 0; k < n; k++) {
                const double added = numbers[(n + 1) * n + k] * x;
                CHECK_BOUND(fabs(added + (k > 0 ? y[k] : 0.0) - exact[k]), 1e-8);
            }
        }
        dg_case_clear(&c);
    }
}

// In between, the error of a frequency omega is about omega^2 dt / lambda, lambda the eigenvalue of
// the pole with its field: here 1e-3 to 1e-4 of the field at first.
static void test_stiff_order(void)
{
    static const pole poles[] = {
        {'d', false, 20.0, 2e-3, 0.0}, {'d', true, 4.0, 0.02, 0.0}, {'f', false, 20.0, 900.0, 0.0}};

    for (size_t i = 0; i < sizeof poles / sizeof *poles; i += test_is_small() ? 3 : 1) {
        double error[3] = {0.0};
        dg_case exact;
        run_stiff(&exact, EPSILON, &poles[i], 1, 640);
        for (int k = 0; k < 3; k++) {
            dg_case c;
            run_stiff(&c, EPSILON, &poles[i], 1, 10 << k);
            for (int64_t j = 0; j < c.values; j++)
                error[k] = fmax(error[k], fabs(c.u[j] - exact.u[j]));
            dg_case_clear(&c);
        }
        CHECK_BOUND(error[0], 1e-3);
        for (int k = 0; k < 2; k++) CHECK_BOUND(1.9, error[k] / error[k + 1]);
        dg_case_clear(&exact);
    }
}

// ---- the largest step --------------------------------------------------------------------------

#define METAL 5 // poles of the medium with most

// Fields and memory of some poles.
typedef struct medium {
    const dg_term *terms;
    int count;
    double m[SEDGE_MAX_MATERIALS];
} medium;

enum { NUMBERS = 6 + 6 * METAL }; // fields, then the memory of each pole

static void find_rates(const medium *of, const double y[NUMBERS], double rate[NUMBERS])
{
    memset(rate, 0, NUMBERS * sizeof *rate);
    for (int p = 0; p < of->count; p++) {
        double du[6];
        of->terms[p].kind->local(y, y + 6 + 6 * p, of->m, of->terms[p].parameters, NULL, 0.0, du,
                                 rate + 6 + 6 * p);
        for (int k = 0; k < 6; k++) rate[k] += du[k];
    }
}

// A step of a predictor's method (dg/predictor.h), at the order that predicts with the fewest
// terms, where L is all of the right-hand side.
static void step_by_prediction(const medium *of, double y[NUMBERS], double dt)
{
    double term[NUMBERS], mean[NUMBERS], rate[NUMBERS];

    memcpy(term, y, sizeof term);
    memcpy(mean, y, sizeof mean);
    for (int k = 1; k <= sedge_predictor_terms(1, true); k++) {
        find_rates(of, term, rate);
        for (int i = 0; i < NUMBERS; i++) {
            term[i] = dt * sedge_predictor_factor(1, k) * rate[i];
            mean[i] += term[i];
        }
    }
    find_rates(of, mean, rate);
    for (int i = 0; i < NUMBERS; i++) y[i] += dt * rate[i];
}

static void step_by_stages(const medium *of, double y[NUMBERS], const sedge_integrator *scheme,
                           double dt)
{
    double residual[NUMBERS] = {0.0};
    double rate[NUMBERS];

    for (int s = 0; s < scheme->stages; s++) {
        find_rates(of, y, rate);
        for (int i = 0; i < NUMBERS; i++) {
            residual[i] = scheme->a[s] * residual[i] + dt * rate[i];
            y[i] += scheme->b[s] * residual[i];
        }
    }
}

// By how much poles of one field grow with it in `steps` steps of `dt`: the largest field of the
// second half over that of the first.
static double find_growth(const dg_term *terms, int count, const sedge_integrator *scheme,
                          double dt, int steps)
{
    medium of = {.terms = terms, .count = count};
    double y[NUMBERS] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    double largest[2] = {0.0, 0.0};

    sedge_equation_find("maxwell")->derive((const double[]){EPSILON, MU, 0.0}, of.m);
    for (int i = 0; i < steps; i++) {
        if (scheme->predictor) {
            step_by_prediction(&of, y, dt);
        } else {
            step_by_stages(&of, y, scheme, dt);
        }
        double *const norm = &largest[i >= steps / 2];
        for (int k = 0; k < 6; k++) *norm = fmax(*norm, fabs(y[k]));
    }
    return largest[1] / largest[0];
}

// The longest step of a medium with these poles, by the rule of dg/problem.h without waves.
static double find_step(const dg_term *terms, int count, const sedge_integrator *scheme)
{
    double m[SEDGE_MAX_MATERIALS];
    double decay = 0.0;
    double square = 0.0;

    sedge_equation_find("maxwell")->derive((const double[]){EPSILON, MU, 0.0}, m);
    for (int p = 0; p < count; p++) {
        const double swing = terms[p].kind->oscillation(m, terms[p].parameters);
        decay += terms[p].kind->rate(m, terms[p].parameters);
        square += swing * swing;
    }
    return 4.6 * scheme->stability / (decay + scheme->oscillation * sqrt(square));
}

// At cfl 0.95 and without waves, a step that the rate allows is stable with each integrator: over
// decays, oscillations and what is between, of one pole and of several. Of one pole without loss,
// or that only decays, 1.3 times that step is not.
static void test_stable(void)
{
    static const double damping[] = {0.0, 0.01, 0.3, 1.0, 2.0, 3.0, 6.0, 20.0};

    for (int i = 0; sedge_integrators[i] != NULL; i++) {
        const sedge_integrator *const scheme = sedge_integrators[i];
        for (size_t k = 0; k < sizeof damping / sizeof *damping; k += test_is_small() ? 7 : 1) {
            const double loss = damping[k];
            const pole poles[METAL] = {{'d', false, 3.0, 1.0 + loss, 0.0},
                                       {'f', false, 1.0, loss, 0.0},
                                       {'r', false, 2.0, 1.0, loss},
                                       {'r', false, 0.3, 3.0, 0.5 * loss},
                                       {'r', false, 1.1, 0.7, 2.0 * loss}};
            dg_term terms[METAL];
            for (int p = 0; p < METAL; p++) terms[p] = term_of(&poles[p]);
            for (int from = 0; from < METAL; from++) {
                for (int count = 1; from + count <= METAL; count++) {
                    const double dt = find_step(terms + from, count, scheme);
                    CHECK_BOUND(find_growth(terms + from, count, scheme, 0.95 * dt, 400),
                                1.0 + 1e-9);
                    if (count > 1 || loss > 0.0 || scheme->predictor) continue;
                    CHECK_BOUND(10.0, find_growth(terms + from, count, scheme, 1.3 * dt, 60));
                }
            }
        }
    }
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    test_equations();
    test_modes();
    test_many_poles();
    test_equal_poles();
    test_fast_limit();
    test_longest_stiff();
    test_stiff_order();
    test_stiff_step();
    test_stiff_modes();
    test_stable();
    sedge_comm_free(comm);
    return CHECK_END();
}
