// Modes of ports of any shape, found by finite elements, beside exact and published ones: cut-offs,
// fields, and impedances of lines.
#include "maxwell/maxwell.h"

#include "maxwell/ports/port_fit.h"

#include "base/memory.h"
#include "check.h"
#include "dg/quadrature.h"
#include "dg/surface_field.h"
#include "sampled.h"

#include <math.h>

#define PI 3.14159265358979323846

extern const sedge_equation sedge_equation_maxwell;
extern const sedge_face_kind sedge_face_te_port, sedge_face_tm_port, sedge_face_tem_port;

enum { MOST = 2048 };

// A place in space, and two axes of a plane through it.
static const double origin[3] = {0.3, -2.0, 5.0};
static const double axis[2][3] = {{0.6, 0.8, 0.0}, {-0.48, 0.36, 0.8}};

typedef struct surface {
    double triangle[MOST][9];
    double middle[MOST][9]; // if `curved`
    int volume[MOST][2];
    bool curved;
    int count;
} surface;

static surface made;
static const sedge_comm *world;

static void place(double out[3], double s, double q)
{
    for (int d = 0; d < 3; d++) out[d] = origin[d] + s * axis[0][d] + q * axis[1][d];
}

// A face; the corners of faces begin with each of the three by turns.
static void add(surface *to, const double a[2], const double b[2], const double c[2])
{
    const double *const corners[3] = {a, b, c};
    double *const triangle = to->triangle[to->count];
    const int turn = to->count % 3;

    for (int k = 0; k < 3; k++)
        place(triangle + 3 * k, corners[(k + turn) % 3][0], corners[(k + turn) % 3][1]);
    to->volume[to->count][0] = to->volume[to->count][1] = 0;
    to->count++;
}

static void add_four(surface *to, const double a[2], const double b[2], const double c[2],
                     const double d[2])
{
    add(to, a, b, c);
    add(to, a, c, d);
}

// A rectangle in m by n cells.
static void add_rectangle(surface *to, double x0, double y0, double x1, double y1, int m, int n)
{
    for (int i = 0; i < m * n; i++) {
        const int row = i / m, column = i % m;
        const double left = x0 + (x1 - x0) * column / m, right = x0 + (x1 - x0) * (column + 1) / m;
        const double low = y0 + (y1 - y0) * row / n, high = y0 + (y1 - y0) * (row + 1) / n;

        add_four(to, (double[]){left, low}, (double[]){right, low}, (double[]){right, high},
                 (double[]){left, high});
    }
}

// Between two circles, in `rings` rings of `around` cells: the outer one has the radius 1 and its
// centre at 0.
static void make_ring(surface *to, double inner, double away, int rings, int around)
{
    to->count = 0;
    for (int i = 0; i < rings * around; i++) {
        double at[4][2];

        for (int k = 0; k < 4; k++) {
            const double angle = 2.0 * PI * ((i + (k == 1 || k == 2)) % around) / around;
            const int ring = i / around + (k > 1);
            const double part = (double)ring / rings; // from the inner circle
            const double radius = inner + part * (1.0 - inner);

            at[k][0] = (1.0 - part) * away + radius * cos(angle);
            at[k][1] = radius * sin(angle);
        }
        add_four(to, at[0], at[1], at[2], at[3]);
    }
}

typedef struct found {
    sedge_status status;
    double p[SEDGE_MAX_VALUES];
    sedge_surface_field *field;
} found;

// The port of a kind with the deck's numbers, on the surface `made`. Epsilon is 2.25.
static found find(const sedge_face_kind *kind, int order, const double *deck, int numbers)
{
    const double material[3] = {2.25, 1.0, 0.0};
    const sedge_surface_shape shape = {made.count, (const double(*)[9])made.triangle,
                                       (const int(*)[2])made.volume,
                                       made.curved ? (const double(*)[9])made.middle : NULL};
    sedge_problem problem;
    found out = {.status = SEDGE_OK};

    for (int i = 0; i < numbers; i++) out.p[i] = deck[i];
    CHECK_OK(sedge_problem_init(&problem, &sedge_equation_maxwell, 1, 1, 0));
    problem.order = order;
    sedge_equation_maxwell.derive(material, problem.materials[0]);
    out.status = kind->kind.fit(&problem, "port", &shape, out.p);
    if (out.status == SEDGE_OK) {
        out.status =
            kind->kind.find_field(&problem, world, NULL, "port", &shape, out.p, &out.field);
    }
    sedge_problem_clear(&problem);
    return out;
}

// Mode number `mode`; `way` 0 and 1: the axis along s and along q.
static found find_mode(const sedge_face_kind *kind, int order, int mode, int way)
{
    double deck[11] = {0.0};

    deck[GUIDE_MODE] = mode;
    for (int d = 0; d < 3; d++) { // the normal, and the axis
        const int j = (d + 1) % 3, k = (d + 2) % 3;
        deck[GUIDE_DIRECTION + d] = axis[0][j] * axis[1][k] - axis[0][k] * axis[1][j];
        deck[GUIDE_AXIS + d] = axis[way][d];
    }
    return find(kind, order, deck, 11);
}

// The cut-off of a mode.
static double find_cutoff(const sedge_face_kind *kind, int order, int mode)
{
    const found one = find_mode(kind, order, mode, 0);

    CHECK_OK(one.status);
    sedge_surface_field_free(one.field);
    return one.p[PORT_KU];
}

// A field to compare with, along the axes of the plane.
typedef void exact_field(double out[2], double s, double q);

// The root of the integral of the difference squared; `of` NULL: of the field itself.
static double measure(const sedge_surface_field *field, exact_field *of)
{
    sedge_quadrature rule;
    double sum = 0.0;

    CHECK_OK(sedge_quadrature_triangle(&rule, 16));
    for (int64_t i = 0; i < field->faces * rule.points; i++) {
        const double *const at = rule.place[i % rule.points];
        const double shares[3] = {-0.5 * (at[0] + at[1]), 0.5 * (1.0 + at[0]), 0.5 * (1.0 + at[1])};
        double x[3], e[3], slopes[2][3], exact[2] = {0.0, 0.0}, s = 0.0, q = 0.0, square = 0.0;

        sedge_surface_field_map(field, i / rule.points, shares, x, slopes);
        sedge_surface_field_at(field, i / rule.points, x, e);
        for (int d = 0; d < 3; d++) {
            const int j = (d + 1) % 3, k = (d + 2) % 3;
            const double normal = slopes[0][j] * slopes[1][k] - slopes[0][k] * slopes[1][j];
            s += (x[d] - origin[d]) * axis[0][d];
            q += (x[d] - origin[d]) * axis[1][d];
            square += normal * normal;
        }
        if (of != NULL) of(exact, s, q);
        for (int d = 0; d < 3; d++) {
            const double off = e[d] - exact[0] * axis[0][d] - exact[1] * axis[1][d];
            sum += 0.25 * sqrt(square) * rule.weight[i % rule.points] * off * off;
        }
    }
    sedge_quadrature_clear(&rule);
    return sqrt(sum);
}

// ---- rectangles --------------------------------------------------------------------------------

// 2 by 0.9, in units of E squared over the cross-section.
static void te10(double out[2], double s, double q)
{
    (void)q;
    out[0] = 0.0;
    out[1] = sqrt(2.0 / 1.8) * sin(0.5 * PI * s);
}

static void te20(double out[2], double s, double q)
{
    (void)q;
    out[0] = 0.0;
    out[1] = sqrt(2.0 / 1.8) * sin(PI * s);
}

static void te11(double out[2], double s, double q)
{
    const double ku = 0.5 * PI, kv = PI / 0.9, k = hypot(ku, kv);

    out[0] = -2.0 / sqrt(1.8) * kv / k * cos(ku * s) * sin(kv * q);
    out[1] = 2.0 / sqrt(1.8) * ku / k * sin(ku * s) * cos(kv * q);
}

static void tm11(double out[2], double s, double q)
{
    const double ku = 0.5 * PI, kv = PI / 0.9, k = hypot(ku, kv);

    out[0] = 2.0 / sqrt(1.8) * ku / k * cos(ku * s) * sin(kv * q);
    out[1] = 2.0 / sqrt(1.8) * kv / k * sin(ku * s) * cos(kv * q);
}

// TE: 10, 20, 01, 11, .. and TM: 11, 21, .. of a rectangle, with the signs of ports with m and n,
// and the rate of convergence: twice the order + 1 for k, the order + 1 for the field.
static void test_rectangle(void)
{
    const struct {
        const sedge_face_kind *kind;
        int mode;
        double m, n;
        exact_field *field;
    } modes[] = {{&sedge_face_te_port, 1, 1.0, 0.0, te10},
                 {&sedge_face_te_port, 2, 2.0, 0.0, te20},
                 {&sedge_face_te_port, 4, 1.0, 1.0, te11},
                 {&sedge_face_tm_port, 1, 1.0, 1.0, tm11}};

    for (int i = 0; i < 4; i++) {
        const double exact = PI * hypot(modes[i].m / 2.0, modes[i].n / 0.9);
        double of_k[2], of_field[2];

        for (int fine = 0; fine < 2; fine++) {
            made.count = 0;
            add_rectangle(&made, 0.0, 0.0, 2.0, 0.9, 2 * (fine + 1), fine + 1);
            const found one = find_mode(modes[i].kind, 3, modes[i].mode, 0);
            CHECK_OK(one.status);
            of_k[fine] = fabs(one.p[PORT_KU] / exact - 1.0);
            of_field[fine] = measure(one.field, modes[i].field);
            CHECK_BOUND(fabs(measure(one.field, NULL) - 1.0), 1e-10);
            sedge_surface_field_free(one.field);
        }
        CHECK_BOUND(of_field[0], 0.06);
        CHECK_BOUND(of_field[1], 2.6 * of_field[0] / 16.0);
        CHECK_BOUND(of_k[1], fmax(2.6 * of_k[0] / 256.0, 1e-13));
    }
    const found one = find_mode(&sedge_face_te_port, 8, 1, 0);
    CHECK_BOUND(measure(one.field, te10), 1e-9);
    sedge_surface_field_free(one.field);
}

// k^2 of mode number `mode` of 2 by 0.9: the least of which so many are not greater.
static double find_square(bool te, int mode)
{
    double least = HUGE_VAL;

    for (int i = 0; i < 30 * 30; i++) {
        const int m = i / 30, n = i % 30;
        const double square = PI * PI * (m * m / 4.0 + n * n / 0.81);
        int below = 0;

        for (int k = 0; k < 30 * 30; k++) {
            const int r = k / 30, c = k % 30;
            const double other = PI * PI * (r * r / 4.0 + c * c / 0.81);
            below += (te ? k > 0 : r > 0 && c > 0) && other <= square * (1.0 + 1e-12);
        }
        if (below >= mode && square < least) least = square;
    }
    return least;
}

// None is left out. (Under sanitizers this test and the next try fewer modes.)
static void test_numbers(void)
{
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 2.0, 0.9, 4, 2);
    for (int mode = 2; mode <= (test_is_small() ? 9 : 30); mode += 7) {
        const double te = sqrt(find_square(true, mode)), tm = sqrt(find_square(false, mode));
        CHECK_BOUND(fabs(find_cutoff(&sedge_face_te_port, 8, mode) / te - 1.0), 1e-5);
        CHECK_BOUND(fabs(find_cutoff(&sedge_face_tm_port, 8, mode) / tm - 1.0), 1e-4);
    }
}

static void along_s(double out[2], double s, double q)
{
    (void)s;
    out[0] = sqrt(2.0) * sin(PI * q);
    out[1] = 0.0;
}

static void along_q(double out[2], double s, double q)
{
    (void)q;
    out[0] = 0.0;
    out[1] = sqrt(2.0) * sin(PI * s);
}

static void five_along_s(double out[2], double s, double q)
{
    (void)s;
    out[0] = sqrt(2.0) * sin(5.0 * PI * q);
    out[1] = 0.0;
}

static void five_along_q(double out[2], double s, double q)
{
    (void)q;
    out[0] = 0.0;
    out[1] = sqrt(2.0) * sin(5.0 * PI * s);
}

// Two modes of a square are one but for their direction, which `axis` chooses. Numbers 22 to 25,
// with k^2 = 25 pi^2, are TE50, TE05, TE34 and TE43, of which one has a mean along the axis: all
// four numbers give it.
static void test_square(void)
{
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 1.0, 1.0, 3, 2);
    for (int way = 0; way < 2; way++) {
        for (int mode = 1; mode < 3; mode++) {
            const found one = find_mode(&sedge_face_te_port, 4, mode, way);
            CHECK_OK(one.status);
            CHECK_BOUND(measure(one.field, way == 0 ? along_s : along_q), 1e-3);
            sedge_surface_field_free(one.field);
        }
        for (int mode = 22; mode < (test_is_small() ? 23 : 26); mode++) {
            const found one = find_mode(&sedge_face_te_port, 8, mode, way);
            CHECK_OK(one.status);
            CHECK_BOUND(measure(one.field, way == 0 ? five_along_s : five_along_q), 5e-3);
            sedge_surface_field_free(one.field);
        }
    }
    CHECK_FAILS(find_mode(&sedge_face_tm_port, 4, 2, 0).status, SEDGE_ERR_USAGE,
                "boundaries.port: the mode is one of 2 whose cut-offs are the same");
}

// ---- other shapes ------------------------------------------------------------------------------

// Three unit squares. TE: M. Dauge's benchmark of Maxwell's eigenvalues (2004); TM: L. N. Trefethen
// and T. Betcke, Contemp. Math. 412 (2006) 297. The third of each is exact: pi^2 (twice), 2 pi^2.
// Fields are infinite in the corner, so that k^2 converges as h^(4/3) there.
static void test_corner(void)
{
    const double te[3] = {1.47562182408, 3.53403136678, 9.86960440109};
    const double tm[3] = {9.6397238440219, 15.1972519264, 19.7392088022};

    for (int n = 2; n <= 4; n += 2) {
        made.count = 0;
        add_rectangle(&made, 0.0, 0.0, 1.0, 1.0, n, n);
        add_rectangle(&made, 1.0, 0.0, 2.0, 1.0, n, n);
        add_rectangle(&made, 0.0, 1.0, 1.0, 2.0, n, n);
        for (int i = 0; i < 3; i++) {
            const double of_te = find_cutoff(&sedge_face_te_port, 4, i + 1);
            const double of_tm = find_cutoff(&sedge_face_tm_port, 4, i + 1);
            const double bound = i == 0 ? 3e-3 : i == 1 ? 5e-5 : 3e-6;
            CHECK_BOUND(fabs(of_te * of_te / te[i] - 1.0), bound * (n == 2 ? 1.0 : 0.45));
            CHECK_BOUND(fabs(of_tm * of_tm / tm[i] - 1.0), bound * (n == 2 ? 1.0 : 0.45));
        }
    }
}

// A polygon of 48 edges has the modes of a circle, but for the part (pi / 48)^2 of their cut-offs.
static void test_round(void)
{
    const struct {
        const sedge_face_kind *kind;
        int mode;
        double k;
    } modes[] = {{&sedge_face_te_port, 1, 1.8411837813},
                 {&sedge_face_te_port, 2, 1.8411837813},
                 {&sedge_face_te_port, 5, 3.8317059702},
                 {&sedge_face_tm_port, 1, 2.4048255577},
                 {&sedge_face_tm_port, 6, 5.5200781103}};
    double centre[2] = {0.0, 0.0}, at[2][2];

    made.count = 0;
    for (int i = 0; i < 48; i++) {
        for (int k = 0; k < 2; k++) {
            at[k][0] = cos(2.0 * PI * ((i + k) % 48) / 48);
            at[k][1] = sin(2.0 * PI * ((i + k) % 48) / 48);
        }
        add(&made, centre, at[0], at[1]);
    }
    for (int i = 0; i < 5; i++)
        CHECK_BOUND(fabs(find_cutoff(modes[i].kind, 5, modes[i].mode) / modes[i].k - 1.0), 4e-3);
}

// ---- lines -------------------------------------------------------------------------------------

// Move the middles of the edges along the circles around (0, 0) on which the edges' ends are.
static void bend(surface *to)
{
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};

    to->curved = true;
    for (int i = 0; i < 3 * to->count; i++) {
        double at[2][2] = {{0.0}}, middle[2], radius[2];

        for (int k = 0; k < 4; k++) {
            const double *const x = to->triangle[i / 3] + 3 * ends[i % 3][k / 2];
            for (int d = 0; d < 3; d++) at[k / 2][k % 2] += (x[d] - origin[d]) * axis[k % 2][d];
        }
        for (int k = 0; k < 2; k++) {
            radius[k] = hypot(at[k][0], at[k][1]);
            middle[k] = 0.5 * (at[0][k] + at[1][k]);
        }
        const bool round = fabs(radius[0] - radius[1]) < 1e-9;
        const double factor = round ? radius[0] / hypot(middle[0], middle[1]) : 1.0;
        place(to->middle[i / 3] + i % 3 * 3, factor * middle[0], factor * middle[1]);
    }
}

static double find_line(int order, double resistance)
{
    const found one = find(&sedge_face_tem_port, order, &resistance, 1);
    const double squares = port_squares(one.p);

    CHECK_OK(one.status);
    CHECK_BOUND(fabs(measure(one.field, NULL) * measure(one.field, NULL) / squares - 1.0), 1e-9);
    CHECK_BOUND(fabs(one.p[0] - (resistance > 0.0 ? resistance : 1.0 / (1.5 * squares))), 1e-12);
    sedge_surface_field_free(one.field);
    return squares;
}

static void radial(double out[2], double s, double q)
{
    const double square = (s * s + q * q) * log(1.0 / 0.4);

    out[0] = s / square;
    out[1] = q / square;
}

// Capacitances by epsilon: of circles 2 pi / acosh((1 + a^2 - d^2) / (2 a)), of a square in one of
// twice its size 8 K / K' for the modulus sqrt(3) / 2, with K' that of 1 / 2 (F. Bowman, 1935).
static void test_lines(void)
{
    const double none[9] = {0.0};

    make_ring(&made, 0.3, 0.4, 3, 64);
    CHECK_BOUND(fabs(find_line(3, 0.0) * acosh((1.0 + 0.09 - 0.16) / 0.6) / (2.0 * PI) - 1.0),
                1e-3);
    make_ring(&made, 0.4, 0.0, 2, 64);
    CHECK_BOUND(fabs(find_line(3, 50.0) * log(1.0 / 0.4) / (2.0 * PI) - 1.0), 2e-4);
    const found one = find(&sedge_face_tem_port, 3, none, 9);
    CHECK_BOUND(measure(one.field, radial) / measure(one.field, NULL), 0.02);
    sedge_surface_field_free(one.field);
    make_ring(&made, 0.4, 0.0, 1, 12); // with curved edges
    bend(&made);
    CHECK_BOUND(fabs(find_line(3, 50.0) * log(1.0 / 0.4) / (2.0 * PI) - 1.0), 1e-4);
    const found curved = find(&sedge_face_tem_port, 3, none, 9);
    CHECK_BOUND(measure(curved.field, radial) / measure(curved.field, NULL), 0.01);
    sedge_surface_field_free(curved.field);
    made.middle[5][3] += 0.01;
    CHECK_FAILS(find(&sedge_face_tem_port, 3, none, 9).status, SEDGE_ERR_USAGE,
                "of a curved edge is");
    made.curved = false;
    made.count = 0;
    for (int i = 0; i < 16; i++) { // 4 by 4 without the middle
        const int row = i / 4, column = i % 4;
        const double x = 0.25 * column, y = 0.25 * row;
        if (i == 5 || i == 6 || i == 9 || i == 10) continue;
        add_rectangle(&made, x, y, x + 0.25, y + 0.25, 2, 2);
    }
    CHECK_BOUND(fabs(find_line(4, 0.0) / 10.234092569368 - 1.0), 2.5e-3);
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 1.0, 1.0, 2, 2);
    CHECK_FAILS(find(&sedge_face_tem_port, 2, none, 9).status, SEDGE_ERR_USAGE,
                "its outline consists of 1 closed lines");
}

// ---- what is refused ---------------------------------------------------------------------------

static void test_refusals(void)
{
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 1.0, 0.5, 1, 1);
    CHECK_FAILS(find_mode(&sedge_face_tm_port, 1, 3, 0).status, SEDGE_ERR_USAGE,
                "which are too few for so many modes");
    add_rectangle(&made, 2.0, 0.0, 3.0, 0.5, 1, 1);
    CHECK_FAILS(find_mode(&sedge_face_te_port, 3, 1, 0).status, SEDGE_ERR_USAGE,
                "must be one connected surface, and it has 2 parts");
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 1.0, 1.0, 2, 2);
    add_rectangle(&made, 1.0, 1.0, 2.0, 2.0, 2, 2);
    CHECK_FAILS(find_mode(&sedge_face_te_port, 3, 1, 0).status, SEDGE_ERR_USAGE,
                "touches itself in the corner (0.42, -0.84, 5.8)");
    made.count = 0;
    add_rectangle(&made, 0.0, 0.0, 1.0, 1.0, 32, 32);
    CHECK_FAILS(find_mode(&sedge_face_te_port, 8, 1, 0).status, SEDGE_ERR_USAGE,
                "let the mesh have fewer and larger faces");
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    world = comm;
    test_rectangle();
    test_numbers();
    test_square();
    test_corner();
    test_round();
    test_lines();
    test_refusals();
    sedge_comm_free(comm);
    return CHECK_END();
}
