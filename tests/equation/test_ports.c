// Ports see the shape of their surface: rectangles, discs and rings anywhere in space, with the
// fields of their modes.
#include "maxwell/maxwell.h"

#include "maxwell/ports/port_fit.h"
#include "maxwell/sheets/sheet_face.h"

#include "base/memory.h"
#include "check.h"

#include <math.h>

#define PI 3.14159265358979323846

extern const sedge_equation sedge_equation_maxwell;
extern const sedge_face_kind sedge_face_te_port, sedge_face_tm_port, sedge_face_coaxial_port,
    sedge_face_lumped_port;

enum { AROUND = 48, MOST = 4 * AROUND };

// A place in space, and two axes of a plane through it.
static const double origin[3] = {0.3, -2.0, 5.0};
static const double axis[2][3] = {{0.6, 0.8, 0.0}, {-0.48, 0.36, 0.8}};

typedef struct surface {
    double triangle[MOST][9];
    int volume[MOST][2];
    int count;
} surface;

static void place(double out[3], double s, double q)
{
    for (int d = 0; d < 3; d++) out[d] = origin[d] + s * axis[0][d] + q * axis[1][d];
}

static void add(surface *to, const double corners[3][2])
{
    for (int k = 0; k < 3; k++)
        place(to->triangle[to->count] + 3 * k, corners[k][0], corners[k][1]);
    to->volume[to->count][0] = to->volume[to->count][1] = 0;
    to->count++;
}

// Between two circles; the inner one may be a point.
static void make_ring(surface *to, double inner, double outer)
{
    to->count = 0;
    for (int i = 0; i < AROUND; i++) {
        const double a = 2.0 * PI * i / AROUND, b = 2.0 * PI * ((i + 1) % AROUND) / AROUND;
        const double c[4][2] = {{inner * cos(a), inner * sin(a)},
                                {outer * cos(a), outer * sin(a)},
                                {outer * cos(b), outer * sin(b)},
                                {inner * cos(b), inner * sin(b)}};
        add(to, (const double[3][2]){{c[0][0], c[0][1]}, {c[1][0], c[1][1]}, {c[2][0], c[2][1]}});
        if (!(inner > 0.0)) continue;
        add(to, (const double[3][2]){{c[0][0], c[0][1]}, {c[2][0], c[2][1]}, {c[3][0], c[3][1]}});
    }
}

static void make_rectangle(surface *to, double along, double across)
{
    to->count = 0;
    add(to, (const double[3][2]){{0.0, 0.0}, {along, 0.0}, {along, across}});
    add(to, (const double[3][2]){{0.0, 0.0}, {along, across}, {0.0, across}});
}

static sedge_status fit(double p[SEDGE_MAX_VALUES], const sedge_face_kind *kind,
                        const surface *given)
{
    sedge_problem problem;
    const double deck[2][3] = {{2.25, 1.0, 0.0}, {1.0, 1.0, 0.0}}; // epsilon, mu, conductivity
    const sedge_surface_shape shape = {
        .count = given->count, .triangles = given->triangle, .volumes = given->volume};

    SEDGE_TRY(sedge_problem_init(&problem, &sedge_equation_maxwell, 2, 1, 0));
    for (int v = 0; v < 2; v++) sedge_equation_maxwell.derive(deck[v], problem.materials[v]);
    const sedge_status status = kind->kind.fit(&problem, "port", &shape, p);
    sedge_problem_clear(&problem);
    return status;
}

// The mode's field along the axes of the plane.
static void find_mode(double out[2], const double *p, double s, double q)
{
    double x[3], e[3];

    place(x, s, q);
    maxwell_port_mode(x, p, e);
    for (int k = 0; k < 2; k++) out[k] = e[0] * axis[k][0] + e[1] * axis[k][1] + e[2] * axis[k][2];
}

// ---- waveguides --------------------------------------------------------------------------------

static void set_guide(double p[SEDGE_MAX_VALUES], double m, double n)
{
    for (int i = 0; i < SEDGE_MAX_VALUES; i++) p[i] = 0.0;
    p[GUIDE_M] = m;
    p[GUIDE_N] = n;
    for (int d = 0; d < 3; d++) { // the normal, and the first axis
        const int j = (d + 1) % 3, k = (d + 2) % 3;
        p[GUIDE_DIRECTION + d] = axis[0][j] * axis[1][k] - axis[0][k] * axis[1][j];
        p[GUIDE_AXIS + d] = axis[0][d];
    }
}

// Round: cut-offs from tables of zeros of Bessel functions; the field has no part along the wall,
// its square's integral is 1, and for TE11 it is along the axis in the middle.
static void test_round(void)
{
    static const struct {
        int m, n;
        double te, tm;
    } modes[] = {{0, 1, 3.8317059702, 2.4048255577}, {1, 1, 1.8411837813, 3.8317059702},
                 {2, 1, 3.0542369282, 5.1356223018}, {0, 2, 7.0155866698, 5.5200781103},
                 {1, 2, 5.3314427735, 7.0155866698}, {3, 2, 8.0152365984, 9.7610231300}};
    const double radius = 1.7;
    surface disc;

    make_ring(&disc, 0.0, radius);
    for (int k = 0; k < 2 * (int)(sizeof modes / sizeof *modes); k++) {
        const bool te = k % 2 == 0;
        const int which = k / 2;
        double p[SEDGE_MAX_VALUES], e[2], sum = 0.0, wall = 0.0, most = 0.0;

        set_guide(p, modes[which].m, modes[which].n);
        CHECK_OK(fit(p, te ? &sedge_face_te_port : &sedge_face_tm_port, &disc));
        CHECK_BOUND(fabs(p[PORT_KU] * radius - (te ? modes[which].te : modes[which].tm)), 1e-8);
        for (int r = 0; r <= 200; r++) { // Simpson's rule along r, the midpoint rule around
            for (int a = 0; a < 32; a++) {
                const double at = radius * r / 200.0, angle = 2.0 * PI * (a + 0.5) / 32.0;
                const double weight = r % 200 == 0 ? 1.0 : r % 2 == 1 ? 4.0 : 2.0;
                find_mode(e, p, at * cos(angle), at * sin(angle));
                sum += weight * (e[0] * e[0] + e[1] * e[1]) * at;
                most = fmax(most, hypot(e[0], e[1]));
                if (r == 200) wall = fmax(wall, fabs(e[1] * cos(angle) - e[0] * sin(angle)));
            }
        }
        CHECK_BOUND(fabs(sum * radius / 600.0 * 2.0 * PI / 32.0 - 1.0), 1e-6);
        CHECK_BOUND(wall, 1e-7 * most);
        find_mode(e, p, 0.0, 0.0);
        if (te && which == 1) CHECK(e[0] > 0.3 && fabs(e[1]) < 1e-12);
    }
}

// Half of a disc is no round guide.
static void test_half(void)
{
    double p[SEDGE_MAX_VALUES];
    surface disc;

    disc.count = 0; // all corners on the circle
    for (int i = 1; i < AROUND / 2; i++) {
        const double a = 2.0 * PI * i / AROUND, b = 2.0 * PI * (i + 1) / AROUND;
        add(&disc, (const double[3][2]){{1.0, 0.0}, {cos(a), sin(a)}, {cos(b), sin(b)}});
    }
    set_guide(p, 1.0, 1.0);
    CHECK_FAILS(fit(p, &sedge_face_te_port, &disc), SEDGE_ERR_USAGE, "a whole rectangle");
}

// Rectangular, 2 by 0.9.
static void test_rectangular(void)
{
    surface sides;

    make_rectangle(&sides, 2.0, 0.9);
    for (int k = 0; k < 18; k++) {
        const bool te = k % 2 == 0;
        const int m = k / 2 % 3, n = k / 6;
        double p[SEDGE_MAX_VALUES], e[2], sum = 0.0, wall = 0.0;

        set_guide(p, m, n);
        if (te ? m + n == 0 : m * n == 0) {
            CHECK_FAILS(fit(p, te ? &sedge_face_te_port : &sedge_face_tm_port, &sides),
                        SEDGE_ERR_USAGE, "there is no mode");
            continue;
        }
        CHECK_OK(fit(p, te ? &sedge_face_te_port : &sedge_face_tm_port, &sides));
        CHECK_BOUND(fabs(hypot(p[PORT_KU], p[PORT_KV]) - hypot(PI * m / 2.0, PI * n / 0.9)), 1e-12);
        for (int i = 0; i < 64; i++) {
            const double at = (i + 0.5) / 64.0;
            for (int j = 0; j < 64; j++) {
                find_mode(e, p, 2.0 * at, 0.9 * (j + 0.5) / 64.0);
                sum += (e[0] * e[0] + e[1] * e[1]) * 1.8 / 4096.0;
            }
            for (int side = 0; side < 2; side++) {
                find_mode(e, p, 2.0 * at, 0.9 * side);
                wall = fmax(wall, fabs(e[0]));
                find_mode(e, p, 2.0 * side, 0.9 * at);
                wall = fmax(wall, fabs(e[1]));
            }
        }
        CHECK_BOUND(fabs(sum - 1.0), 1e-12);
        CHECK_BOUND(wall, 1e-12);
        find_mode(e, p, 0.2, 0.1);
        if (te) CHECK(m > 0 ? e[1] > 0.0 : e[0] > 0.0);
    }
}

// ---- resistors ---------------------------------------------------------------------------------

// The voltage across is 1 and the conductance of all squares together 1 / R.
static void test_resistors(void)
{
    double p[SEDGE_MAX_VALUES] = {0.0}, e[2];
    surface shape;

    make_ring(&shape, 0.5, 1.3);
    CHECK_OK(fit(p, &sedge_face_coaxial_port, &shape));
    CHECK_BOUND(fabs(p[0] - log(2.6) / (2.0 * PI) / 1.5), 1e-9); // that of the line
    CHECK_BOUND(fabs(p[PORT_CONDUCTANCE] * 2.0 * PI / log(2.6) * p[0] - 1.0), 1e-9);
    find_mode(e, p, 0.6, 0.8);
    CHECK_BOUND(hypot(e[0] - 0.6 / log(2.6), e[1] - 0.8 / log(2.6)), 1e-6);
    shape.count -= shape.count / 4; // not all around
    CHECK_FAILS(fit(p, &sedge_face_coaxial_port, &shape), SEDGE_ERR_USAGE, "must be a ring");
    make_ring(&shape, 0.5, 1.3);
    shape.volume[7][1] = 1; // a line of two media
    p[0] = 0.0;
    CHECK_FAILS(fit(p, &sedge_face_coaxial_port, &shape), SEDGE_ERR_USAGE,
                "boundaries.port: 'resistance' is needed");
    p[0] = 50.0;
    CHECK_OK(fit(p, &sedge_face_coaxial_port, &shape));
    make_rectangle(&shape, 0.4, 1.2);
    for (int d = 0; d < 3; d++) p[1 + d] = -7.0 * axis[0][d];
    CHECK_OK(fit(p, &sedge_face_lumped_port, &shape));
    CHECK_BOUND(fabs(p[PORT_CONDUCTANCE] * 3.0 * 50.0 - 1.0), 1e-12);
    find_mode(e, p, 0.1, 0.1);
    CHECK_BOUND(hypot(e[0] + 2.5, e[1]), 1e-12);
    CHECK_FAILS(fit(p, &sedge_face_coaxial_port, &shape), SEDGE_ERR_USAGE, "must be a ring");
    make_ring(&shape, 0.5, 1.3);
    CHECK_FAILS(fit(p, &sedge_face_lumped_port, &shape), SEDGE_ERR_USAGE, "a whole rectangle");
    shape.triangle[3][4] += 0.1;
    CHECK_FAILS(fit(p, &sedge_face_coaxial_port, &shape), SEDGE_ERR_USAGE, "must be flat");
}

int main(void)
{
    test_round();
    test_half();
    test_rectangular();
    test_resistors();
    return CHECK_END();
}
