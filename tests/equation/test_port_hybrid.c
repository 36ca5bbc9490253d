// Modes of guides of several media beside exact ones: their indices, their fields, and how these
// change with frequency.
#include "maxwell/sections/port_eigen.h"
#include "maxwell/sections/port_hybrid.h"

#include "base/memory.h"
#include "check.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST = 256, RINGS = 5 };

// A cross-section in a plane in space, with a medium on each face.
typedef struct guide {
    double triangle[MOST][9], middle[MOST][9];
    int volume[MOST][2];
    int count;
    sedge_surface_shape shape;
    sedge_surface_field *field;
    port_section section;
    port_media media;
} guide;

static guide made;

static const double origin[3] = {0.3, -2.0, 5.0};
static const double axis[2][3] = {{0.6, 0.8, 0.0}, {-0.48, 0.36, 0.8}};

static void place(double out[3], const double at[2])
{
    for (int d = 0; d < 3; d++) out[d] = origin[d] + at[0] * axis[0][d] + at[1] * axis[1][d];
}

// Where the middle of an edge is: between its ends, or on the circle around 0 on which they are.
static void find_middle(double out[3], const double a[2], const double b[2], bool round)
{
    double at[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    const double radius = hypot(a[0], a[1]);
    const double turn = radius / hypot(at[0], at[1]);

    for (int c = 0; c < 2 && round && fabs(hypot(b[0], b[1]) - radius) < 1e-9; c++) at[c] *= turn;
    place(out, at);
}

static void add(guide *to, const double a[2], const double b[2], const double c[2], bool round)
{
    double *const corner = to->triangle[to->count], *const middle = to->middle[to->count];

    to->count++;
    place(corner, a);
    place(corner + 3, b);
    place(corner + 6, c);
    find_middle(middle, a, b, round);
    find_middle(middle + 3, a, c, round);
    find_middle(middle + 6, b, c, round);
}

static void add_four(guide *to, const double at[4][2], bool round)
{
    add(to, at[0], at[1], at[2], round);
    add(to, at[0], at[2], at[3], round);
}

// The middle of a face.
static void find_centre(double out[2], int64_t face)
{
    for (int c = 0; c < 2; c++) {
        out[c] = 0.0;
        for (int k = 0; k < 9; k++)
            out[c] += (made.field->corners[face][k] - origin[k % 3]) * axis[c][k % 3] / 3.0;
    }
}

// The edges of the outline whose ends both have x = 0 or x = a.
static int64_t keep_sides(shape_edge *edges, int64_t count, double a)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < count; i++) {
        double x[2] = {0.0, 0.0};

        for (int k = 0; k < 6; k++) x[k / 3] += (edges[i].ends[k] - origin[k % 3]) * axis[0][k % 3];
        if (fabs(x[0] - x[1]) < 1e-9 && (fabs(x[0]) < 1e-9 || fabs(x[0] - a) < 1e-9))
            edges[kept++] = edges[i];
    }
    return kept;
}

static void fill(int64_t face, double epsilon, double mu)
{
    made.media.face[face] =
        (port_medium){{epsilon, 0.0, epsilon, epsilon}, mu, {epsilon, 0.0, epsilon, epsilon}, mu};
}

// Principal values of epsilon: two across the guide, turned from the axes by `angle`, and that
// along it.
static void fill_tensor(int64_t face, const double epsilon[3], double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double tensor[PORT_TENSOR] = {c * c * epsilon[0] + s * s * epsilon[1],
                                        c * s * (epsilon[0] - epsilon[1]),
                                        s * s * epsilon[0] + c * c * epsilon[1], epsilon[2]};

    memcpy(made.media.face[face].epsilon, tensor, sizeof tensor);
    memcpy(made.media.face[face].epsilon_group, tensor, sizeof tensor);
}

// Of the faces added. The width `plates`: walls are at x = 0 and there alone; 0: all around.
static void begin(int order, double plates)
{
    shape_edge *edges = NULL;
    int64_t count = 0;

    made.shape =
        (sedge_surface_shape){made.count, (const double(*)[9])made.triangle,
                              (const int(*)[2])made.volume, (const double(*)[9])made.middle};
    CHECK_OK(sedge_surface_field_create(&made.field, order, &made.shape));
    if (plates > 0.0) CHECK_OK(shape_find_outline(&edges, &count, &made.shape));
    count = keep_sides(edges, count, plates);
    CHECK_OK(port_section_create(&made.section, made.field, axis[0], axis[1], edges, count));
    CHECK_OK(sedge_allocate(&made.media.face, made.count, sizeof *made.media.face));
    for (int64_t f = 0; f < made.count; f++) fill(f, 1.0, 1.0);
    sedge_release(edges);
}

static void end(void)
{
    port_section_clear(&made.section);
    sedge_surface_field_free(made.field);
    sedge_release(made.media.face);
    made = (guide){.count = 0};
}

// 2 by 0.9, of which 1 by 0.9 has the medium.
static void make_rectangle(double epsilon, double mu, int n, int order, double plates)
{
    for (int i = 0; i < 2 * n * n; i++) {
        const int column = i % (2 * n), row = i / (2 * n);
        const double x[2] = {(double)column / n, (double)(column + 1) / n};
        const double y[2] = {0.9 * row / n, 0.9 * (row + 1) / n};

        add_four(&made,
                 (const double[4][2]){{x[0], y[0]}, {x[1], y[0]}, {x[1], y[1]}, {x[0], y[1]}},
                 false);
    }
    begin(order, plates);
    for (int64_t f = 0; f < made.count; f++) {
        double at[2];

        find_centre(at, f);
        if (at[0] > 1.0) continue;
        fill(f, epsilon, mu);
    }
}

// A mode and its fields; `square` is not a number if it is not guided.
typedef struct mode {
    double square;
    port_hybrid_numbers numbers;
    sedge_surface_field *e, *g;
} mode;

static mode find(double omega, int number)
{
    const double one[PORT_MOST_NEAR] = {1.0};
    port_hybrid found;
    mode out = {.square = (double)NAN};

    made.media.omega = omega;
    CHECK_OK(port_hybrid_find(&found, &made.section, &made.media, 0.0, number, 2e-5, "here"));
    if (found.count > 0) {
        out.square = found.square;
        CHECK_OK(sedge_surface_field_create(&out.e, made.field->order, &made.shape));
        CHECK_OK(sedge_surface_field_create(&out.g, made.field->order, &made.shape));
        CHECK_OK(port_hybrid_fields(&out.numbers, &found, one, out.e, out.g, NULL));
    }
    port_hybrid_clear(&found);
    return out;
}

static void clear(const mode *of)
{
    sedge_surface_field_free(of->e);
    sedge_surface_field_free(of->g);
}

static double find_square(double omega, int number)
{
    const mode one = find(omega, number);

    clear(&one);
    return one.square;
}

// The integral of the product of two fields.
static double multiply(const sedge_surface_field *a, const sedge_surface_field *b)
{
    const port_section *const s = &made.section;
    double sum = 0.0;

    for (int64_t i = 0; i < a->faces * s->points; i++) {
        const double *const shares = s->shares + 3 * (i % s->points);
        double x[3], y[3], at[2], slopes[2][2];
        const double weight = port_section_map(s, i / s->points, (int)(i % s->points), at, slopes);

        sedge_surface_field_value(a, i / s->points, shares, x);
        sedge_surface_field_value(b, i / s->points, shares, y);
        sum += weight * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    }
    return sum;
}

// ---- guides of one medium ----------------------------------------------------------------------

// TE10, TE20 and TE01 of a rectangle that is all of one medium.
static void test_uniform(void)
{
    const double cut[3] = {0.5 * PI, PI, PI / 0.9}, omega = 3.0;

    make_rectangle(2.0, 1.5, 2, 3, 0.0);
    for (int64_t f = 0; f < made.count; f++) fill(f, 2.0, 1.5);
    for (int i = 0; i < 3; i++) {
        const double beta = sqrt(3.0 * omega * omega - cut[i] * cut[i]);
        const mode one = find(omega, i + 1);

        CHECK_BOUND(fabs(sqrt(one.square) / beta - 1.0), 3e-4);
        CHECK_BOUND(fabs(one.numbers.index * omega / beta - 1.0), 3e-4);
        CHECK_BOUND(fabs(one.numbers.impedance / (1.5 * omega / beta) - 1.0), 3e-4);
        CHECK_BOUND(fabs(one.numbers.group / (3.0 * omega / beta) - 1.0), 3e-4);
        CHECK_BOUND(fabs(one.numbers.slope + cut[i] * cut[i] / (beta * beta)), 2e-3);
        CHECK_BOUND(fabs(one.numbers.inside - 1.0), 1e-12);
        CHECK_BOUND(fabs(multiply(one.e, one.e) - 1.0), 1e-12);
        CHECK_BOUND(fabs(multiply(one.e, one.g) - 1.0), 1e-12);
        clear(&one);
    }
    end();
}

// ---- slabs -------------------------------------------------------------------------------------

// What is 0 for a mode with beta^2 = square: E or H has no part across the slab, which is 1 thick
// and lies on one of two walls 2 apart, and the fields vary along it with the wave number ky.
static double find_condition(double omega, double square, double epsilon, double mu, double ky,
                             bool lsm)
{
    const double squares[2] = {omega * omega * epsilon * mu - square - ky * ky,
                               omega * omega - square - ky * ky};
    const double weight[2] = {1.0 / (lsm ? epsilon : mu), 1.0};
    double sine[2], cosine[2];

    for (int i = 0; i < 2; i++) { // sin k / k, or for lsm k sin k
        const double k = sqrt(fabs(squares[i]));
        sine[i] = squares[i] > 0.0 ? sin(k) : sinh(k);
        cosine[i] = squares[i] > 0.0 ? cos(k) : cosh(k);
        sine[i] *= lsm ? (squares[i] > 0.0 ? k : -k) : 1.0 / k;
    }
    if (lsm) return weight[0] * sine[0] * cosine[1] + weight[1] * sine[1] * cosine[0];
    return sine[0] * cosine[1] / weight[0] + sine[1] * cosine[0] / weight[1];
}

// beta^2 of number `number`, from 1, of those with ky.
static double find_slab(double omega, double epsilon, double mu, double ky, bool lsm, int number)
{
    const double top = omega * omega * epsilon * mu, step = 1e-4 * top;

    for (double at = top - 0.5 * step; at > step; at -= step) {
        double low = at - step, high = at;
        const double value = find_condition(omega, high, epsilon, mu, ky, lsm);

        if ((value > 0.0) == (find_condition(omega, low, epsilon, mu, ky, lsm) > 0.0)) continue;
        if (--number > 0) continue;
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            const bool same =
                (find_condition(omega, middle, epsilon, mu, ky, lsm) > 0.0) == (value > 0.0);
            low = same ? low : middle;
            high = same ? middle : high;
        }
        return 0.5 * (low + high);
    }
    return (double)NAN;
}

// Hybrid modes of a guide of which a slab fills half, and of no others. They converge with twice
// the order.
static void test_slab(void)
{
    const double omega = 3.0, ky = PI / 0.9;
    const double exact[5] = {
        find_slab(omega, 4.0, 1.0, 0.0, false, 1), find_slab(omega, 4.0, 1.0, ky, true, 1),
        find_slab(omega, 4.0, 1.0, ky, false, 1), find_slab(omega, 4.0, 1.0, 0.0, false, 2),
        find_slab(omega, 4.0, 1.0, ky, true, 2)};
    double off[2][5];

    for (int fine = 0; fine < 2; fine++) {
        make_rectangle(4.0, 1.0, 2 * (fine + 1), 3, 0.0);
        for (int i = 0; i < 5; i++) off[fine][i] = fabs(find_square(omega, i + 1) / exact[i] - 1.0);
        CHECK(isnan(find_square(omega, 6)));
        end();
    }
    for (int i = 0; i < 5; i++) {
        CHECK_BOUND(off[0][i], i < 3 ? 3e-4 : 1.5e-2);
        CHECK_BOUND(off[1][i], 0.04 * off[0][i]);
    }
}

// Media with different permeabilities, and modes of a slab between magnetic walls, where the field
// may be the same all along it.
static void test_plates(void)
{
    const double omega = 2.0;
    double exact[2] = {find_slab(omega, 2.0, 1.7, 0.0, true, 1),
                       find_slab(omega, 2.0, 1.7, PI / 0.9, true, 1)};

    exact[1] = fmax(exact[1], find_slab(omega, 2.0, 1.7, 0.0, false, 1));
    make_rectangle(2.0, 1.7, 4, 3, 2.0);
    CHECK_BOUND(fabs(find_square(omega, 1) / exact[0] - 1.0), 1e-5);
    end();
}

// Group index and ratio of voltage and current of mode number `number`, beside what the profiles of
// this frequency give at others next to it.
static void check_dispersion(const mode *one, double omega, int number)
{
    const double step = 1e-3;
    const mode low = find(omega - step, number), high = find(omega + step, number);
    const mode *const both[2] = {&low, &high};
    double z[2];

    const double group = (sqrt(high.square) - sqrt(low.square)) / (2.0 * step);
    CHECK_BOUND(fabs(group / one->numbers.group - 1.0), 1e-6);
    for (int k = 0; k < 2; k++) {
        z[k] = both[k]->numbers.impedance * multiply(both[k]->e, one->g) /
               multiply(both[k]->g, one->e);
    }
    const double slope = log(z[1] / z[0]) / log((omega + step) / (omega - step));
    CHECK_BOUND(fabs(slope - one->numbers.slope), 1e-5);
    clear(&low);
    clear(&high);
}

// Of modes of both kinds, in media without and with a tensor; the profiles of two modes are
// orthogonal.
static void test_dispersion(void)
{
    const double omega = 3.0, epsilon[3] = {4.5, 3.0, 3.7};
    mode modes[3];

    for (int tensor = 0; tensor < 2; tensor++) {
        make_rectangle(4.0, 1.0, 2, 3, 0.0);
        for (int64_t f = 0; f < made.count && tensor == 1; f++)
            if (made.media.face[f].epsilon[PORT_UU] > 2.0) fill_tensor(f, epsilon, 0.5);
        for (int i = 0; i < 3; i++) modes[i] = find(omega, i + 1);
        for (int i = 0; i < 9; i++) {
            const double product = multiply(modes[i / 3].e, modes[i % 3].g);
            CHECK_BOUND(fabs(product - (i / 3 == i % 3 ? 1.0 : 0.0)), 1e-8);
        }
        for (int i = 0; i < 2; i++) check_dispersion(&modes[i], omega, i + 1);
        for (int i = 0; i < 3; i++) clear(&modes[i]);
        end();
    }
}

// ---- a tensor ----------------------------------------------------------------------------------

// The determinant of omega^2 epsilon - k^2 + k k, which is 0 for waves of a medium with principal
// values epsilon along the axes of k = (kx, ky, beta).
static double find_determinant(double omega, const double epsilon[3], double kx, double ky,
                               double square)
{
    const double k[3] = {kx, ky, sqrt(square)};
    double m[3][3];

    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        const double all = kx * kx + ky * ky + square;
        m[r][c] = k[r] * k[c] + (r == c ? omega * omega * epsilon[r] - all : 0.0);
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// beta^2 of the modes of a rectangle a by b all of such a medium, falling, at most `most`. Their
// fields are products of sines and cosines; for each m, n > 0 the determinant, a polynomial of
// degree 2 in beta^2, has two, and one of the two roots of (m, 0) and (0, n) has its E along a wall
// on it.
static int find_filled(double *out, int most, double omega, const double epsilon[3], double a,
                       double b)
{
    int count = 0;

    for (int i = 1; i < 25; i++) {
        const int m = i % 5, n = i / 5;
        const double kx = PI / a * m, ky = PI / b * n;
        double roots[2] = {omega * omega * epsilon[m == 0 ? 0 : 1] - kx * kx - ky * ky, -1.0};

        if (m > 0 && n > 0) {
            const double d[3] = {find_determinant(omega, epsilon, kx, ky, 0.0),
                                 find_determinant(omega, epsilon, kx, ky, 1.0),
                                 find_determinant(omega, epsilon, kx, ky, 2.0)};
            const double second = 0.5 * (d[2] - 2.0 * d[1] + d[0]);
            const double half = 0.5 * (d[1] - d[0] - second);
            const double root = sqrt(half * half - second * d[0]);
            roots[0] = (-half + root) / second;
            roots[1] = (-half - root) / second;
        }
        for (int k = 0; k < 2; k++) {
            int at = count;
            if (!(roots[k] > 0.0) || count == most) continue;
            for (; at > 0 && out[at - 1] < roots[k]; at--) out[at] = out[at - 1];
            out[at] = roots[k];
            count++;
        }
    }
    return count;
}

// The walls and the tensor are turned from the axes alike.
static void test_tensor(void)
{
    const double omega = 4.2, epsilon[3] = {4.0, 2.3, 3.1}, angle = 0.4;
    double exact[32];
    const int count = find_filled(exact, 32, omega, epsilon, 1.2, 0.9);

    for (int i = 0; i < 9; i++) {
        double at[4][2];
        for (int k = 0; k < 4; k++) {
            const int column = i % 3 + (k == 1 || k == 2), row = i / 3 + k / 2;
            const double x = 0.4 * column, y = 0.3 * row;
            at[k][0] = cos(angle) * x - sin(angle) * y;
            at[k][1] = sin(angle) * x + cos(angle) * y;
        }
        add_four(&made, (const double(*)[2])at, false);
    }
    begin(4, 0.0);
    for (int64_t f = 0; f < made.count; f++) fill_tensor(f, epsilon, angle);
    CHECK(count > 4 && count < 32);
    for (int i = 0; i < count; i++)
        CHECK_BOUND(fabs(find_square(omega, i + 1) / exact[i] - 1.0), 3e-4);
    CHECK(isnan(find_square(omega, count + 1)));
    end();
}

// ---- a fibre -----------------------------------------------------------------------------------

// Integrals give J_n and K_n.
static double bessel_j(int n, double x)
{
    double sum = 0.0;

    for (int i = 0; i < 64; i++) {
        const double angle = 2.0 * PI * i / 64;
        sum += cos(n * angle - x * sin(angle)) / 64.0;
    }
    return sum;
}

static double bessel_k(int n, double x)
{
    double sum = 0.0;

    for (int i = 0; i < 800; i++) {
        const double t = 0.01 * i;
        sum += (i > 0 ? 0.01 : 0.005) * exp(-x * cosh(t)) * cosh(n * t);
    }
    return sum;
}

// What is 0 for the modes HE1n and EH1n of a core of radius 1 in vacuum (e.g. Snyder and Love,
// Optical Waveguide Theory, table 12-4).
static double find_fibre(double omega, double epsilon, double index)
{
    const double u = omega * sqrt(epsilon - index * index), w = omega * sqrt(index * index - 1.0);
    const double j = 0.5 * (bessel_j(0, u) - bessel_j(2, u)) / (u * bessel_j(1, u));
    const double k = -0.5 * (bessel_k(0, w) + bessel_k(2, w)) / (w * bessel_k(1, w));
    const double side = index * (1.0 / (u * u) + 1.0 / (w * w));

    return (j + k) * (epsilon * j + k) - side * side;
}

static void make_fibre(double epsilon, int around, int order)
{
    const double radius[RINGS + 1] = {0.0, 0.5, 1.0, 1.5, 2.2, 3.2};

    for (int i = 0; i < RINGS * around; i++) {
        const int ring = i / around;
        double at[4][2];

        for (int k = 0; k < 4; k++) {
            const double angle = 2.0 * PI * ((i + (k == 1 || k == 2)) % around) / around;
            const double r = radius[ring + (k > 1)];
            at[k][0] = r * cos(angle);
            at[k][1] = r * sin(angle);
        }
        if (ring > 0) add_four(&made, (const double(*)[2])at, true);
        if (ring == 0) add(&made, at[0], at[2], at[3], true);
    }
    begin(order, 0.0);
    for (int64_t f = 0; f < made.count; f++) {
        double at[2];

        find_centre(at, f);
        if (hypot(at[0], at[1]) < 1.0) fill(f, epsilon, 1.0);
    }
}

// The first two modes are HE11 in two directions.
static void test_fibre(void)
{
    const double omega = 2.0, epsilon = 4.0;
    double low = 1.5, high = 1.95; // only one mode is there
    port_hybrid both;

    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const bool same =
            (find_fibre(omega, epsilon, low) > 0.0) == (find_fibre(omega, epsilon, middle) > 0.0);
        low = same ? middle : low;
        high = same ? high : middle;
    }
    make_fibre(epsilon, 12, 3);
    made.media.omega = omega;
    CHECK_OK(port_hybrid_find(&both, &made.section, &made.media, omega * omega, 2, 2e-5, "here"));
    CHECK(both.count == 2);
    CHECK_BOUND(fabs(sqrt(both.square) / omega / low - 1.0), 1e-4);
    port_hybrid_clear(&both);
    CHECK_OK(port_hybrid_find(&both, &made.section, &made.media, omega * omega, 30, 2e-5, "here"));
    CHECK(both.count == 0 && both.guided >= 2 && both.guided < 12);
    port_hybrid_clear(&both);
    made.media.omega = 1e-4; // of a closed section no noise counts as a mode
    CHECK_OK(port_hybrid_find(&both, &made.section, &made.media, 0.0, 1, 2e-5, "here"));
    CHECK(both.guided == 0);
    port_hybrid_clear(&both);
    made.media.omega = 20.0;
    CHECK_FAILS(port_hybrid_find(&both, &made.section, &made.media, 400.0, 1, 2e-5, "here"),
                SEDGE_ERR_USAGE, "here: an edge of the port's faces is as long as");
    port_hybrid_clear(&both);
    end();
}

// ---- eigenvalues -------------------------------------------------------------------------------

// Upper triangular with a block of two conjugate eigenvalues and one that is there twice, turned
// about.
static void test_eigenvalues(void)
{
    enum { N = 6 };
    const double exact[4] = {5.0, 3.0, 3.0, -2.0};
    double a[N * N] = {0.0}, v[N * N], w[N];
    int count = 0;

    for (int i = 0; i < N * N; i++) a[i] = i % N > i / N && i / N > 2 ? 0.3 * (i % 5) : 0.0;
    a[0] = a[7] = 3.0;
    a[14] = a[21] = 1.0;
    a[15] = 2.0;
    a[20] = -2.0;
    a[28] = 5.0;
    a[35] = -2.0;
    for (int k = 0; k < N - 1; k++) { // rotations of the axes k and k + 1
        const double c = cos(1.0 + k), s = sin(1.0 + k);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < N; i++) {
                double *const one = side == 0 ? &a[i * N + k] : &a[k * N + i];
                double *const other = side == 0 ? &a[i * N + k + 1] : &a[(k + 1) * N + i];
                const double before = *one;
                *one = c * before + s * *other;
                *other = c * *other - s * before;
            }
        }
    }
    CHECK_OK(port_eigen_find(&count, N, a, w, v));
    CHECK(count == 4);
    for (int k = 0; k < 4; k++) {
        CHECK_BOUND(fabs(w[k] - exact[k]), 1e-12);
        for (int i = 0; i < N; i++) {
            double sum = -w[k] * v[i * N + k];
            for (int c = 0; c < N; c++) sum += a[i * N + c] * v[c * N + k];
            CHECK_BOUND(fabs(sum), 1e-12);
        }
    }
    double product = 0.0;
    for (int i = 0; i < N; i++) product += v[i * N + 1] * v[i * N + 2];
    CHECK_BOUND(fabs(product), 1e-12);
}

int main(void)
{
    test_eigenvalues();
    test_uniform();
    test_slab();
    test_plates();
    test_dispersion();
    test_tensor();
    test_fibre();
    return CHECK_END();
}
