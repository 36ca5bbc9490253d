// Initial states solve the equations, at any time, and obey their walls.
#include "dg/problem.h"

#include "check.h"

#include "dg/case.h"
#include "dg/random.h"

static const sedge_equation *maxwell;

// Parameters in the order of the kinds' tables.
static const double cavity[12] = {1, 2, 1, 0.9, 1.1, 1.3, 0.1, -0.2, 0.3, 1.0, -0.4, 0.8};
static const double flat_cavity[12] = {2, 1, 0, 1, 1, 1, 0, 0, 0, 0.3, 0.2, 1.0};
static const double plane[15] = {0.0, 3.0, 4.0, 0.5, -0.8, 0.6, 0.1, 0.2, 0.3, SEDGE_SIGNAL_RICKER,
                                 1.5, 0.4, 0.0, 0.5, 0.0};
static const double periodic[10] = {1, -2, 0, 1.0, 2.0, 1.0, 0.7, 0.7, -0.4, 0.3}; // and a phase
static const double layered[12] = {1, 2, 2, 1.0, 1.2, 0.9, 0.0, 0.1, 0.0, 0.4, 1.5, 3.0};

static const double ball[7] = {1.3, 0.1, -0.2, 0.3, 0.5, -1.0, 2.0};

typedef struct state {
    const sedge_initial_kind *kind;
    const double *p;
    double m[SEDGE_MAX_MATERIALS];
    double c[SEDGE_MAX_VALUES];
} state;

static state make_state(const char *name, const double *p, double epsilon, double mu, double sigma)
{
    const double deck[3] = {epsilon, mu, sigma};
    const double alpha = 1.0;
    state s = {.kind = dg_find_initial(maxwell, name), .p = p};

    CHECK(s.kind != NULL);
    maxwell->derive(deck, s.m);
    maxwell->constants(&alpha, NULL, s.c);
    return s;
}

static void get_fields(const state *s, const double *x, double t, double u[6])
{
    s->kind->apply(x, t, s->m, s->p, s->c, u);
}

// The derivative along x, y, z (0..2) or t (3), by the five-point formula.
static void get_slope(const state *s, const double *x, double t, int axis, double du[6])
{
    static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const int offset[4] = {-2, -1, 1, 2};
    const double h = 1e-3;

    for (int k = 0; k < 6; k++) du[k] = 0.0;
    for (int i = 0; i < 4; i++) {
        double y[4] = {x[0], x[1], x[2], t};
        double u[6];
        y[axis] += offset[i] * h;
        get_fields(s, y, y[3], u);
        for (int k = 0; k < 6; k++) du[k] += weight[i] * u[k] / h;
    }
}

// u_t + div F(u) = S(u), div E = div H = 0, at random places of [low, high]^3.
static void check_solves(const state *s, double low, double high)
{
    uint64_t seed = 3;
    double size = 0.0;

    for (int trial = 0; trial < 30; trial++) {
        double x[3], u[6], ut[6], slope[3][6], F[3][6], source[6] = {0.0};
        double div_e = 0.0, div_h = 0.0;
        const double t = 0.6 + 0.5 * random_value(&seed);

        for (int d = 0; d < 3; d++)
            x[d] = 0.5 * (low + high) + 0.5 * (high - low) * random_value(&seed);
        get_fields(s, x, t, u);
        get_slope(s, x, t, 3, ut);
        maxwell->source(u, s->m, s->c, source);
        for (int d = 0; d < 3; d++) {
            get_slope(s, x, t, d, slope[d]);
            maxwell->flux(slope[d], s->m, s->c, F[0], F[1], F[2]);
            for (int k = 0; k < 6; k++) ut[k] += F[d][k];
            div_e += slope[d][d];
            div_h += slope[d][3 + d];
        }
        for (int k = 0; k < 6; k++) {
            CHECK_BOUND(fabs(ut[k] - source[k]), 2e-7); // h^4/30 of the fifth derivative, k^5
            size = fmax(size, fabs(u[k]));
        }
        CHECK_BOUND(fabs(div_e), 2e-7);
        CHECK_BOUND(fabs(div_h), 2e-7);
    }
    CHECK_BOUND(0.05, size);
}

static void test_solutions(void)
{
    state s = make_state("cavity-mode", cavity, 2.0, 1.5, 0.0);
    check_solves(&s, 0.0, 1.0);
    s = make_state("cavity-mode", cavity, 2.0, 1.5, 1.0);
    check_solves(&s, 0.0, 1.0);
    s = make_state("cavity-mode", cavity, 1.0, 1.0, 40.0); // overdamped
    check_solves(&s, 0.0, 1.0);
    s = make_state("cavity-mode", flat_cavity, 1.0, 1.0, 0.3);
    check_solves(&s, 0.0, 1.0);
    s = make_state("plane-wave", plane, 2.0, 1.5, 0.0);
    check_solves(&s, -0.2, 0.6);
    s = make_state("periodic-wave", periodic, 2.0, 1.5, 0.0);
    check_solves(&s, -1.0, 1.0);
    s = make_state("layered-mode", layered, 1.5, 1.0, 0.0);
    check_solves(&s, 0.01, 0.35);
    s = make_state("layered-mode", layered, 3.0, 1.0, 0.0);
    check_solves(&s, 0.37, 0.9);
    s = make_state("ball-mode", ball, 2.0, 1.5, 0.0);
    check_solves(&s, -0.2, 0.3);
}

// Tangential E and normal H vanish on the six walls.
static void check_walls(const state *s, const double *size, const double *origin)
{
    uint64_t seed = 9;

    for (int trial = 0; trial < 10; trial++) {
        for (int side = 0; side < 6; side++) {
            const int d = side / 2;
            double x[3], u[6];
            for (int i = 0; i < 3; i++)
                x[i] = origin[i] + size[i] * (0.5 + 0.5 * random_value(&seed));
            x[d] = origin[d] + (side % 2) * size[d];
            get_fields(s, x, 0.7, u);
            CHECK_BOUND(fabs(u[(d + 1) % 3]), 1e-12);
            CHECK_BOUND(fabs(u[(d + 2) % 3]), 1e-12);
            CHECK_BOUND(fabs(u[3 + d]), 1e-12);
        }
    }
}

static void test_walls(void)
{
    const state mode = make_state("cavity-mode", cavity, 2.0, 1.5, 1.0);
    const state layers = make_state("layered-mode", layered, 1.0, 1.0, 0.0);

    check_walls(&mode, cavity + 3, cavity + 6);
    check_walls(&layers, layered + 3, layered + 6);
}

// On the ball's surface E is normal and H tangential; E in the centre is the axis.
static void test_ball(void)
{
    const state s = make_state("ball-mode", ball, 2.0, 1.5, 0.0);
    uint64_t seed = 11;
    double u[6];

    get_fields(&s, ball + 1, 0.0, u);
    for (int i = 0; i < 3; i++) CHECK_BOUND(fabs(u[i] - ball[4 + i]), 1e-14);
    for (int trial = 0; trial < 10; trial++) {
        double n[3], x[3];
        double length = 0.0, along_e = 0.0, along_h = 0.0;
        for (int i = 0; i < 3; i++) {
            n[i] = random_value(&seed);
            length += n[i] * n[i];
        }
        for (int i = 0; i < 3; i++) {
            n[i] /= sqrt(length);
            x[i] = ball[1 + i] + ball[0] * n[i];
        }
        get_fields(&s, x, 0.4, u);
        for (int i = 0; i < 3; i++) {
            along_e += n[i] * u[i];
            along_h += n[i] * u[3 + i];
        }
        for (int i = 0; i < 3; i++) CHECK_BOUND(fabs(u[i] - along_e * n[i]), 1e-13);
        CHECK_BOUND(fabs(along_h), 1e-14);
    }
}

// E_t, H and their slopes meet where the layers do.
static void test_layers_meet(void)
{
    const state s = make_state("layered-mode", layered, 1.0, 1.0, 0.0);
    const double split = 0.4 * 0.9;
    const double below[3] = {0.3, 0.55, split - 1e-12};
    const double above[3] = {0.3, 0.55, split + 1e-12};
    double u[6], v[6];

    get_fields(&s, below, 0.7, u);
    get_fields(&s, above, 0.7, v);
    for (int k = 0; k < 6; k++) CHECK_BOUND(fabs(u[k] - v[k]), 1e-9);
}

// Known values: the lossy cube's factor f(1) for sigma = 0.5; the half-filled cube's frequency.
static void test_known_values(void)
{
    static const double first[12] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 1.0, -0.4, -0.6};
    static const double half[12] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0.5, 1.0, 4.0};
    const double x[3] = {0.2, 0.3, 0.4};
    const double pi = 3.14159265358979323846;
    state s = make_state("cavity-mode", first, 1.0, 1.0, 0.5);
    double u[6], v[6];

    get_fields(&s, x, 0.0, u);
    get_fields(&s, x, 1.0, v);
    CHECK_BOUND(fabs(v[0] / u[0] - 0.5422889), 1e-7);
    CHECK_BOUND(fabs(u[0] - cos(0.2 * pi) * sin(0.3 * pi) * sin(0.4 * pi)), 1e-15);
    for (int k = 3; k < 6; k++) CHECK(u[k] == 0.0);

    s = make_state("layered-mode", half, 1.0, 1.0, 0.0);
    get_fields(&s, x, 0.0, u);
    get_fields(&s, x, 1.0, v);
    CHECK_BOUND(fabs(v[0] / u[0] - cos(3.1449475585)), 1e-9);
}

// A plane wave: E at the origin follows the signal; |H| = |E| / Z.
static void test_plane_wave(void)
{
    const state s = make_state("plane-wave", plane, 2.0, 8.0, 0.0);
    const double *origin = plane + 6;
    double u[6];

    get_fields(&s, origin, 0.6, u);
    const double signal = sedge_signal(plane + 9, 0.6);
    double e = 0.0, h = 0.0;
    for (int i = 0; i < 3; i++) {
        CHECK_BOUND(fabs(u[i] - plane[3 + i] * signal), 1e-14);
        e += u[i] * u[i];
        h += u[3 + i] * u[3 + i];
    }
    CHECK_BOUND(fabs(sqrt(e / h) - 2.0), 1e-14);
}

int main(void)
{
    maxwell = sedge_equation_find("maxwell");
    test_solutions();
    test_walls();
    test_layers_meet();
    test_ball();
    test_known_values();
    test_plane_wave();
    return CHECK_END();
}
