// Diffraction orders of waves that are known: a skewed cell, five orders at two frequencies, each
// of them on both sides of its own frequency of cut-off.
#include "base/memory.h"
#include "check.h"
#include "par/comm.h"
#include "radiation/floquet.h"

#include <stdlib.h>

#define PI 3.14159265358979323846
#define J  ((double complex)_Complex_I)

#define FREQUENCIES 2
#define GRID        8 // points along each period: exact for |m| < 4
#define WAVES       5

static const int orders[WAVES][2] = {{0, 0}, {1, 0}, {-1, 0}, {1, 1}, {0, -1}};
static double omega[FREQUENCIES] = {5.0, 11.5};
static double value[FREQUENCIES];

typedef struct known_wave {
    double complex field[6]; // where x.K = 0
    double part;             // along z
} known_wave;

static double random_number(void)
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

static double complex random_complex(void)
{
    const double real = random_number();

    return real + J * random_number();
}

// A wave of k = (K, k_z) in a medium of epsilon = mu = 1: k.E = 0, H = k x E / omega.
static known_wave make_wave(const double K[3], double w)
{
    known_wave wave;
    const double complex kz = csqrt(w * w - K[0] * K[0] - K[1] * K[1]);
    const double complex k[3] = {K[0], K[1], creal(kz) > 0.0 ? kz : -J * cimag(kz)};
    double complex *const E = wave.field;
    double complex *const H = wave.field + 3;

    E[0] = random_complex();
    E[1] = random_complex();
    E[2] = -(k[0] * E[0] + k[1] * E[1]) / k[2];
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3;
        const int b = (i + 2) % 3;
        H[i] = (k[a] * E[b] - k[b] * E[a]) / w;
    }
    wave.part = 0.5 * creal(E[0] * conj(H[1]) - E[1] * conj(H[0]));
    return wave;
}

typedef struct case_plane {
    sedge_face_points points;
    sedge_spectrum spectrum;
    sedge_deck_frequencies frequencies;
    double complex signal[FREQUENCIES];
} case_plane;

// The points of the plane in the cell, each of which is a side of its own; `sign` of the normals.
// Every rank but the last has a row of points, the last one the rest.
static void make_plane(case_plane *plane, const sedge_comm *comm, double (*a)[3], double area,
                       double sign)
{
    sedge_face_points *const points = &plane->points;
    const int rank = sedge_comm_rank(comm);
    const bool last = rank + 1 == sedge_comm_size(comm);
    const int end = last ? GRID : rank + 1;

    *points = (sedge_face_points){.side_points = 1, .sides = (end - rank) * GRID};
    CHECK_OK(sedge_allocate(&points->share, points->sides, sizeof *points->share));
    CHECK_OK(sedge_allocate(&points->area, points->sides, sizeof *points->area));
    CHECK_OK(sedge_allocate(&points->place, points->sides, sizeof *points->place));
    CHECK_OK(sedge_allocate(&points->normal, points->sides, sizeof *points->normal));
    for (int s = 0; s < points->sides; s++) {
        const int row = rank + s / GRID;
        const double at[2] = {row / (double)GRID, s % GRID / (double)GRID};

        points->share[s] = 1.0;
        points->area[s] = area / (GRID * GRID);
        points->normal[s][2] = sign;
        for (int d = 0; d < 3; d++) points->place[s][d] = at[0] * a[0][d] + at[1] * a[1][d];
        points->place[s][2] += 0.7;
    }
    for (int k = 0; k < FREQUENCIES; k++) value[k] = omega[k] / (2.0 * PI);
    plane->frequencies = (sedge_deck_frequencies){.count = FREQUENCIES, .value = value};
    plane->spectrum = (sedge_spectrum){.frequencies = &plane->frequencies, .normalised = true};
    CHECK_OK(sedge_allocate(&plane->spectrum.sums, (int64_t)points->sides * 6 * FREQUENCIES * 2,
                            sizeof(double)));
    CHECK_OK(sedge_allocate(&plane->spectrum.incident, FREQUENCIES * 2, sizeof(double)));
    for (int k = 0; k < FREQUENCIES; k++) {
        plane->signal[k] = random_complex();
        plane->spectrum.incident[2 * k] = creal(plane->signal[k]);
        plane->spectrum.incident[2 * k + 1] = cimag(plane->signal[k]);
    }
}

static void free_plane(const case_plane *plane)
{
    sedge_release(plane->points.share);
    sedge_release(plane->points.area);
    sedge_release(plane->points.place);
    sedge_release(plane->points.normal);
    sedge_release(plane->spectrum.sums);
    sedge_release(plane->spectrum.incident);
}

static void find_wave_vector(double K[3], const sedge_floquet_cell *cell, const int order[2])
{
    for (int d = 0; d < 3; d++) {
        K[d] = cell->wave_vector[d] + order[0] * cell->reciprocal[0][d] +
               order[1] * cell->reciprocal[1][d];
    }
}

static void add_wave(const case_plane *plane, const known_wave *wave, const double K[3], int k)
{
    for (int s = 0; s < plane->points.sides; s++) {
        const double *const x = plane->points.place[s];
        const double complex phase = cexp(-J * (K[0] * x[0] + K[1] * x[1] + K[2] * x[2]));

        for (int c = 0; c < 6; c++) {
            double *const sum = plane->spectrum.sums + 2 * ((6 * s + c) * FREQUENCIES + k);
            const double complex field = phase * wave->field[c] * plane->signal[k];
            sum[0] += creal(field);
            sum[1] += cimag(field);
        }
    }
}

static int find_order(const sedge_floquet *floquet, const int order[2])
{
    for (int i = 0; i < floquet->orders; i++) {
        if (floquet->order[i][0] == order[0] && floquet->order[i][1] == order[1]) return i;
    }
    return -1;
}

// The incident power, where the wave vector k along the cell makes the angle asin(|k| / w).
static double find_incident(const sedge_floquet_cell *cell, double w)
{
    const double sine = hypot(cell->wave_vector[0], cell->wave_vector[1]) / w;
    const double cosine = sqrt(1.0 - sine * sine);

    return cell->incident[0] / cosine + cell->incident[1] * cosine;
}

// 1e-12: sums of 64 numbers of size one.
static void check_waves(const sedge_floquet *floquet, known_wave wave[WAVES][FREQUENCIES],
                        const sedge_floquet_cell *cell, double sign)
{
    for (int k = 0; k < FREQUENCIES; k++) {
        double all = 0.0;

        for (int i = 0; i < WAVES; i++) {
            const int at = find_order(floquet, orders[i]);
            const double part = sign * cell->area * wave[i][k].part / find_incident(cell, omega[k]);

            all += part;
            CHECK(at >= 0);
            if (at < 0) continue;
            CHECK_BOUND(fabs(floquet->order_part[at * FREQUENCIES + k] - part), 1e-12);
            for (int d = 0; d < 3; d++) {
                const double complex found = floquet->field[at * FREQUENCIES + k][d];
                CHECK_BOUND(cabs(found - wave[i][k].field[d]), 1e-12);
            }
        }
        CHECK_BOUND(fabs(floquet->part[k] - all), 1e-12);
    }
    for (int i = 0; i < floquet->orders; i++) { // no other has anything
        bool known = false;

        for (int w = 0; w < WAVES; w++)
            known |= floquet->order[i][0] == orders[w][0] && floquet->order[i][1] == orders[w][1];
        if (!known) CHECK_BOUND(cabs(floquet->field[i * FREQUENCIES][0]), 1e-12);
    }
}

static void test_orders(const sedge_comm *comm, double sign, double kx, double ky)
{
    double a[2][3] = {{1.3, 0.2, 0.0}, {0.4, 0.9, 0.0}};
    sedge_floquet_cell cell = {
        .incident = {0.35, 0.2}, .slowness = 1.0, .wave_vector = {kx, ky, 0.0}};
    known_wave wave[WAVES][FREQUENCIES];
    sedge_floquet floquet;
    case_plane plane;

    srand(7);
    sedge_floquet_set_periods(&cell, a);
    CHECK_BOUND(fabs(cell.area - (1.3 * 0.9 - 0.2 * 0.4)), 1e-14);
    for (int i = 0; i < 4; i++) {
        const double *const b = cell.reciprocal[i % 2];
        const double product = a[i / 2][0] * b[0] + a[i / 2][1] * b[1];
        CHECK_BOUND(fabs(product - (i % 2 == i / 2 ? 2.0 * PI : 0.0)), 1e-13);
    }
    make_plane(&plane, comm, a, cell.area, sign);
    for (int k = 0; k < FREQUENCIES; k++) {
        for (int i = 0; i < WAVES; i++) {
            double K[3];

            find_wave_vector(K, &cell, orders[i]);
            wave[i][k] = make_wave(K, omega[k]);
            add_wave(&plane, &wave[i][k], K, k);
        }
    }
    CHECK_OK(
        sedge_floquet_find(&floquet, comm, &cell, &plane.points, &plane.spectrum, omega[1], 1e-3));
    CHECK(floquet.part != NULL && floquet.orders > 0);
    CHECK(kx != 0.0 || (floquet.order[0][0] == 0 && floquet.order[0][1] == 0));
    for (int i = 0; i < floquet.orders; i++) { // ascending, and all that travel
        double K[2][3];

        find_wave_vector(K[0], &cell, floquet.order[i > 0 ? i - 1 : 0]);
        find_wave_vector(K[1], &cell, floquet.order[i]);
        CHECK(hypot(K[0][0], K[0][1]) <= hypot(K[1][0], K[1][1]) * (1.0 + 1e-6));
        CHECK(hypot(K[1][0], K[1][1]) < omega[1]);
    }
    int travel = 0;
    for (int i = -9; i <= 9; i++) {
        for (int j = -9; j <= 9; j++) {
            double K[3];

            find_wave_vector(K, &cell, (int[2]){i, j});
            travel += hypot(K[0], K[1]) < omega[1];
        }
    }
    CHECK(floquet.orders == travel);
    if (floquet.part != NULL) check_waves(&floquet, wave, &cell, sign);
    sedge_floquet_clear(&floquet);

    // A signal that is next to nothing at one frequency.
    plane.spectrum.incident[0] = plane.spectrum.incident[1] = 1e-6;
    CHECK_OK(sedge_floquet_find(&floquet, comm, &cell, &plane.points, &plane.spectrum, 0.0, 1e-3));
    CHECK(floquet.orders == 1 && isnan(floquet.part[0]) && !isnan(floquet.part[1]));
    CHECK(isnan(creal(floquet.field[0][0])) && !isnan(creal(floquet.field[1][0])));
    sedge_floquet_clear(&floquet);

    // A surface that is no plane, and one that leaves out a point.
    for (int s = 0; s < plane.points.sides; s++) {
        if (s % 2 == 1) continue;
        plane.points.normal[s][0] = 0.6;
        plane.points.normal[s][2] *= 0.8;
        plane.points.area[s] /= 0.8;
    }
    CHECK_OK(sedge_floquet_find(&floquet, comm, &cell, &plane.points, &plane.spectrum, 9.0, 1e-3));
    CHECK(floquet.part != NULL && floquet.orders == 0);
    sedge_floquet_clear(&floquet);
    if (sedge_comm_is_root(comm)) plane.points.area[0] = 0.0;
    CHECK_OK(sedge_floquet_find(&floquet, comm, &cell, &plane.points, &plane.spectrum, 9.0, 1e-3));
    CHECK(floquet.part == NULL && floquet.orders == 0);
    sedge_floquet_clear(&floquet);
    free_plane(&plane);
}

int main(void)
{
    sedge_comm *comm = NULL;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_orders(comm, 1.0, 0.0, 0.0);
    test_orders(comm, -1.0, 0.0, 0.0);
    test_orders(comm, 1.0, 0.9, -0.4);
    sedge_comm_free(comm);
    return CHECK_END();
}
