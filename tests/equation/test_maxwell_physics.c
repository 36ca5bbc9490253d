// Maxwell's flux and boundary functions, point by point, against the textbook.
#include "dg/problem.h"

#include "check.h"

#include "dg/case.h"
#include "dg/random.h"

// Places in the equation's constants and materials: see maxwell_physics.h.
enum { INVERSE_EPSILON, INVERSE_MU, IMPEDANCE, ADMITTANCE };

static const sedge_equation *maxwell;
static uint64_t seed = 5;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void make_vector(double a[3])
{
    for (int i = 0; i < 3; i++) a[i] = random_value(&seed);
}

static void make_unit(double a[3])
{
    make_vector(a);
    const double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++) a[i] /= length;
}

static void make_state(double u[6])
{
    make_vector(u);
    make_vector(u + 3);
}

static void make_medium(double epsilon, double mu, double m[SEDGE_MAX_MATERIALS])
{
    const double deck[3] = {epsilon, mu, 0.0};

    maxwell->derive(deck, m);
}

static void set_alpha(double alpha, double c[SEDGE_MAX_VALUES])
{
    maxwell->constants(&alpha, NULL, c);
}

// n.F(u) = (-(1/eps) n x H, (1/mu) n x E).
static void test_flux(void)
{
    double u[6], n[3], m[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES], F[3][6], nH[3], nE[3];

    make_state(u);
    make_unit(n);
    make_medium(2.0, 3.0, m);
    set_alpha(1.0, c);
    maxwell->flux(u, m, c, F[0], F[1], F[2]);
    cross(n, u + 3, nH);
    cross(n, u, nE);
    for (int i = 0; i < 3; i++) {
        double e = 0.0, h = 0.0;
        for (int d = 0; d < 3; d++) {
            e += n[d] * F[d][i];
            h += n[d] * F[d][3 + i];
        }
        CHECK_BOUND(fabs(e + nH[i] / 2.0), 1e-15);
        CHECK_BOUND(fabs(h - nE[i] / 3.0), 1e-15);
    }
}

// A wave in medium 1 falls on medium 2 at normal incidence: the upwind state at the face is the
// transmitted wave, T = 2 Z2 / (Z1 + Z2), from both sides. Z+ and Z- exchanged would give 2 Z1.
static void test_interface_transmits(void)
{
    double m1[SEDGE_MAX_MATERIALS], m2[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES];
    double n[3], e[3], h[3], jump[6], back[6], opposite[3], star_h[3], star_e[3];

    make_medium(1.0, 1.0, m1);
    make_medium(4.0, 1.0, m2);
    set_alpha(1.0, c);
    make_unit(n);
    make_vector(e);
    const double along = dot(e, n);
    for (int i = 0; i < 3; i++) {
        e[i] -= along * n[i];
        opposite[i] = -n[i];
    }
    cross(n, e, h); // Y1 = 1
    const double u[6] = {e[0], e[1], e[2], h[0], h[1], h[2]};
    const double nothing[6] = {0.0};

    const double T = 2.0 * m2[IMPEDANCE] / (m1[IMPEDANCE] + m2[IMPEDANCE]);
    CHECK_BOUND(fabs(T - 2.0 / 3.0), 1e-15);
    maxwell->surface(u, nothing, m1, m2, n, c, jump);
    maxwell->surface(nothing, u, m2, m1, opposite, c, back);
    // jump = (-(1/eps) n x (H* - H), (1/mu) n x (E* - E)), and what is tangential stays so under n
    // x.
    cross(n, h, star_h);
    cross(n, e, star_e);
    for (int i = 0; i < 3; i++) {
        const double H = star_h[i] * (T / m2[IMPEDANCE] - 1.0); // n x (H* - H)
        const double E = star_e[i] * (T - 1.0);
        CHECK_BOUND(fabs(jump[i] + m1[INVERSE_EPSILON] * H), 1e-15);
        CHECK_BOUND(fabs(jump[3 + i] - m1[INVERSE_MU] * E), 1e-15);
        const double H2 = -star_h[i] * T / m2[IMPEDANCE]; // (-n) x H* of the other side
        const double E2 = -star_e[i] * T;
        CHECK_BOUND(fabs(back[i] + m2[INVERSE_EPSILON] * H2), 1e-15);
        CHECK_BOUND(fabs(back[3 + i] - m2[INVERSE_MU] * E2), 1e-15);
    }
}

// Normal components do not act: they are no part of n.F.
static void test_normal_jump_is_free(void)
{
    double u[6], v[6], n[3], m1[SEDGE_MAX_MATERIALS], m2[SEDGE_MAX_MATERIALS];
    double c[SEDGE_MAX_VALUES], jump[6];

    make_medium(1.7, 0.6, m1);
    make_medium(0.3, 2.0, m2);
    set_alpha(0.8, c);
    make_unit(n);
    make_state(u);
    for (int i = 0; i < 3; i++) {
        v[i] = u[i] + 2.0 * n[i];
        v[3 + i] = u[3 + i] - 3.0 * n[i];
    }
    maxwell->surface(u, v, m1, m2, n, c, jump);
    for (int i = 0; i < 6; i++) CHECK_BOUND(fabs(jump[i]), 1e-14);
}

static void apply_boundary(const char *name, const double *u, const double *m, const double *n,
                           const double *x, double t, const double *p, const double *c, double *v)
{
    dg_find_boundary(maxwell, name)->apply(u, m, n, x, t, p, c, v);
}

static void test_conductors(void)
{
    double u[6], v[6], n[3], m[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES];
    const double x[3] = {0.0, 0.0, 0.0};

    make_state(u);
    make_unit(n);
    make_medium(2.0, 1.0, m);
    set_alpha(1.0, c);
    apply_boundary("pec", u, m, n, x, 0.0, NULL, c, v);
    for (int i = 0; i < 3; i++) CHECK(v[i] == -u[i] && v[3 + i] == u[3 + i]);
    apply_boundary("pmc", u, m, n, x, 0.0, NULL, c, v);
    for (int i = 0; i < 3; i++) CHECK(v[i] == u[i] && v[3 + i] == -u[3 + i]);
}

// The state at an impedance wall, by the textbook: with e = E_t and g = H x n
//   e* = zs (e + Z g) / (zs + Z),  g* = (e + Z g) / (zs + Z),
// must come out of surface() for every alpha. Absorbing is zs = Z.
static void check_wall(const char *name, double zs, double alpha)
{
    double u[6], v[6], n[3], m[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES], jump[6];
    double g[3], normal_e[3], star_e[3], star_g[3];
    const double x[3] = {0.1, 0.2, 0.3};

    make_state(u);
    make_unit(n);
    make_medium(1.0 + fabs(random_value(&seed)), 1.0 + fabs(random_value(&seed)), m);
    set_alpha(alpha, c);
    const double Z = m[IMPEDANCE];
    if (strcmp(name, "absorbing") == 0) zs = Z;

    apply_boundary(name, u, m, n, x, 0.0, &zs, c, v);
    maxwell->surface(u, v, m, m, n, c, jump);
    cross(u + 3, n, g);
    const double en = dot(u, n);
    for (int i = 0; i < 3; i++) {
        const double e = u[i] - en * n[i];
        star_g[i] = (e + Z * g[i]) / (zs + Z);
        star_e[i] = zs * star_g[i] - e; // e* - e
    }
    cross(n, star_e, normal_e);
    for (int i = 0; i < 3; i++) {
        // n x (H* - H) = -(g* - g)
        CHECK_BOUND(fabs(jump[i] - m[INVERSE_EPSILON] * (star_g[i] - g[i])), 1e-14);
        CHECK_BOUND(fabs(jump[3 + i] - m[INVERSE_MU] * normal_e[i]), 1e-14);
    }
}

static void test_walls(void)
{
    for (int i = 0; i <= 4; i++) {
        const double alpha = 0.25 * i;
        check_wall("absorbing", 0.0, alpha);
        check_wall("impedance", 0.0, alpha);
        check_wall("impedance", 0.7, alpha);
        check_wall("impedance", 50.0, alpha);
    }
}

// A wave that leaves at normal incidence passes the absorbing surface as if there were none.
static void test_absorbs_normal_wave(void)
{
    double e[3], h[3], n[3], m[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES], v[6], jump[6];
    const double x[3] = {0.0, 0.0, 0.0};

    make_unit(n);
    make_vector(e);
    make_medium(2.5, 1.5, m);
    set_alpha(0.4, c);
    const double along = dot(e, n);
    for (int i = 0; i < 3; i++) e[i] -= along * n[i];
    cross(n, e, h);
    const double u[6] = {
        e[0], e[1], e[2], m[ADMITTANCE] * h[0], m[ADMITTANCE] * h[1], m[ADMITTANCE] * h[2]};
    apply_boundary("absorbing", u, m, n, x, 0.0, NULL, c, v);
    maxwell->surface(u, v, m, m, n, c, jump);
    for (int i = 0; i < 6; i++) CHECK_BOUND(fabs(jump[i]), 1e-14);
}

// ---- the incident wave -------------------------------------------------------------------------

static const double wave[15] = {
    0.0,
    3.0,
    4.0, // direction, of length 5
    2.0,
    0.0,
    0.0, // polarisation
    0.1,
    0.2,
    0.3, // origin
    SEDGE_SIGNAL_GAUSSIAN,
    1.5,
    0.0,
    0.4,
    0.7,
    0.0, // signal
};

// E = p s(t - k.(x - x0)/c), H = k x E / Z, in a medium of c = 1/sqrt(6) and Z = sqrt(3/2).
static void get_incident(const double *x, double t, double w[6])
{
    const double k[3] = {0.0, 0.6, 0.8};
    const double path = 0.6 * (x[1] - 0.2) + 0.8 * (x[2] - 0.3);
    const double late = (t - path * sqrt(6.0) - 0.7) / 0.4;
    double h[3];

    w[0] = 2.0 * 1.5 * exp(-late * late);
    w[1] = w[2] = 0.0;
    cross(k, w, h);
    for (int i = 0; i < 3; i++) w[3 + i] = h[i] / sqrt(1.5);
}

// Where the total field obeys a wall, the scattered field's ghost leaves the star state at the
// scattered trace: driven walls are the undriven ones of the total field.
static void test_driven_walls(void)
{
    static const char *const names[] = {"pec", "pmc", "impedance"};
    const double zs = 0.8;
    const double alpha = 0.6;
    const double x[3] = {0.3, -0.2, 0.5};
    const double t = 0.9;
    double quiet[SEDGE_MAX_VALUES], c[SEDGE_MAX_VALUES], m[SEDGE_MAX_MATERIALS];
    double u[6], n[3], w[6], total[6], v[6], v_total[6];

    make_medium(2.0, 3.0, m);
    set_alpha(alpha, quiet);
    maxwell->constants(&alpha, wave, c);
    get_incident(x, t, w);
    CHECK(fabs(w[0]) > 0.1);
    for (int i = 0; i < 3; i++) {
        make_state(u);
        make_unit(n);
        for (int k = 0; k < 6; k++) total[k] = u[k] + w[k];
        apply_boundary(names[i], u, m, n, x, t, &zs, c, v);
        apply_boundary(names[i], total, m, n, x, t, &zs, quiet, v_total);
        for (int k = 0; k < 6; k++)
            CHECK_BOUND(fabs((v[k] - u[k]) - (v_total[k] - total[k])), 1e-14);
    }
    // An absorbing surface sees the scattered field only.
    apply_boundary("absorbing", u, m, n, x, t, NULL, c, v);
    apply_boundary("absorbing", u, m, n, x, t, NULL, quiet, v_total);
    for (int k = 0; k < 6; k++) CHECK(v[k] == v_total[k]);
}

// ---- table functions ---------------------------------------------------------------------------

static void test_material(void)
{
    const double deck[3] = {4.0, 9.0, 2.0};
    double m[SEDGE_MAX_MATERIALS], c[SEDGE_MAX_VALUES], weights[6];
    double u[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    double s[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

    maxwell->derive(deck, m);
    set_alpha(1.0, c);
    CHECK(m[INVERSE_EPSILON] == 0.25);
    CHECK_BOUND(fabs(m[INVERSE_MU] - 1.0 / 9.0), 1e-16);
    CHECK(m[IMPEDANCE] == 1.5);
    CHECK_BOUND(fabs(m[ADMITTANCE] - 1.0 / 1.5), 1e-15);
    CHECK_BOUND(fabs(maxwell->speed(m, c) - 1.0 / 6.0), 1e-16);
    CHECK(maxwell->decay(m) == 0.5);
    CHECK(maxwell->has_source(m));
    maxwell->energy(m, weights);
    CHECK(weights[0] == 4.0 && weights[2] == 4.0);
    CHECK_BOUND(fabs(weights[3] - 9.0), 1e-14);
    maxwell->source(u, m, c, s);
    for (int i = 0; i < 3; i++) {
        CHECK(s[i] == 1.0 - 0.5 * u[i]);
        CHECK(s[3 + i] == 1.0);
    }
    make_medium(4.0, 9.0, m);
    CHECK(!maxwell->has_source(m));
}

// SI: eps0 = 1/(eta0 c0), so sigma/eps0 of 1 S/m a second is eta0 a metre; 1 V/m in vacuum carries
// 1/eta0 A/m, and energy eps0/2 a cubic metre.
static void test_units(void)
{
    const double c0 = maxwell->si[SEDGE_TIME];
    const double eta0 = maxwell->si[SEDGE_CONDUCTIVITY];

    CHECK(c0 == 299792458.0);
    CHECK_BOUND(fabs(maxwell->energy_si * eta0 * c0 - 1.0), 1e-9);
    CHECK_BOUND(fabs(maxwell->si[SEDGE_FREQUENCY] * c0 - 1.0), 1e-15);
    CHECK_BOUND(fabs(maxwell->si[SEDGE_RESISTANCE] * eta0 - 1.0), 1e-15);
    CHECK(maxwell->si[SEDGE_CURRENT_MOMENT] == eta0);
    CHECK_BOUND(fabs(maxwell->groups[1].si * eta0 - 1.0), 1e-15);
}

int main(void)
{
    maxwell = sedge_equation_find("maxwell");
    CHECK(maxwell != NULL);
    for (int trial = 0; trial < 10; trial++) {
        test_flux();
        test_interface_transmits();
        test_normal_jump_is_free();
        test_conductors();
        test_walls();
        test_absorbs_normal_wave();
        test_driven_walls();
    }
    test_material();
    test_units();
    return CHECK_END();
}
