// Near to far: dipoles, spheres and wires, whose far fields are known, from their fields on spheres
// and boxes, shared by all ranks; images; power; polarisation; surfaces with holes.
#include "check.h"
#include "par/comm.h"
#include "scattering/far_field.h"
#include "scattering/far_time.h"
#include "scattering/mie.h"
#include "scattering/pattern.h"
#include "surface_kit.h"

#define J          ((double complex)_Complex_I)
#define DIRECTIONS 7

static sedge_comm *comm;

static const sedge_far_medium vacuum = {1.0, 1.0};
static const double direction[DIRECTIONS][2] = {
    {0.0, 0.0}, {0.4, 1.0}, {1.1, -2.0}, {0.5 * PI, 0.3}, {2.0, 2.5}, {2.6, -0.4}, {PI, 0.0}};

static void find_vectors(const double at[2], double r[3], double unit[2][3])
{
    const double theta = at[0];
    const double phi = at[1];
    const double vectors[3][3] = {{sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)},
                                  {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)},
                                  {-sin(phi), cos(phi), 0.0}};

    memcpy(r, vectors[0], sizeof vectors[0]);
    memcpy(unit, vectors[1], 2 * sizeof vectors[1]);
}

// ---- dipoles -----------------------------------------------------------------------------------

typedef struct dipole {
    double place[3];
    double complex electric[3], magnetic[3]; // current moments
} dipole;

static const dipole source = {.place = {0.13, -0.08, 0.11},
                              .electric = {1.0, -0.5 + 0.7 * J, 0.3},
                              .magnetic = {0.2 - 0.4 * J, 0.6, -0.8}};

// The field of E's kind of a current moment, and the other one; `impedance` is that of the medium
// for an electric moment and its inverse for a magnetic one.
static void add_moment(const double complex moment[3], const double r[3], double distance, double k,
                       double impedance, double sign, double complex own[3],
                       double complex other[3])
{
    const double complex wave = cexp(-J * k * distance) / (4.0 * PI * distance);
    const double complex inverse = 1.0 / (J * k * distance);
    double complex along = 0.0;

    for (int i = 0; i < 3; i++) along += r[i] * moment[i];
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3;
        const int b = (i + 2) % 3;
        own[i] += -J * k * impedance * wave *
                  (moment[i] - r[i] * along +
                   (moment[i] - 3.0 * r[i] * along) * (inverse + inverse * inverse));
        other[i] += sign * J * k * wave * (1.0 + inverse) * (moment[a] * r[b] - moment[b] * r[a]);
    }
}

static void add_dipole(const dipole *d, double w, const sedge_far_medium *medium, const double x[3],
                       double complex E[3], double complex H[3])
{
    const double k = w * sqrt(medium->epsilon * medium->mu);
    const double impedance = sqrt(medium->mu / medium->epsilon);
    double r[3];
    double distance = 0.0;

    for (int i = 0; i < 3; i++) {
        r[i] = x[i] - d->place[i];
        distance += r[i] * r[i];
    }
    distance = sqrt(distance);
    for (int i = 0; i < 3; i++) r[i] /= distance;
    add_moment(d->electric, r, distance, k, impedance, 1.0, E, H);
    add_moment(d->magnetic, r, distance, k, 1.0 / impedance, -1.0, H, E);
}

// Far field about `centre`.
static void add_dipole_far(const dipole *d, double w, const sedge_far_medium *medium,
                           const double centre[3], const double at[2], double complex far[2])
{
    const double k = w * sqrt(medium->epsilon * medium->mu);
    const double impedance = sqrt(medium->mu / medium->epsilon);
    double r[3];
    double unit[2][3];
    double path = 0.0;

    find_vectors(at, r, unit);
    for (int i = 0; i < 3; i++) path += r[i] * (d->place[i] - centre[i]);
    const double complex factor = -J * k * cexp(J * k * path) / (4.0 * PI);
    for (int i = 0; i < 3; i++) {
        const double complex turned =
            d->magnetic[(i + 1) % 3] * r[(i + 2) % 3] - d->magnetic[(i + 2) % 3] * r[(i + 1) % 3];
        for (int c = 0; c < 2; c++)
            far[c] += factor * unit[c][i] * (impedance * d->electric[i] + turned);
    }
}

// The source and its images by the planes of the surface: as in a mirror, an electric moment
// reversed by an electric conductor, a magnetic one by a magnetic conductor. Up to 8; their number.
static int find_images(const sedge_near_surface *s, dipole images[8])
{
    int count = 1;

    images[0] = source;
    for (int p = 0; p < s->planes; p++) {
        const int axis = s->plane[p].axis;
        const double sign = s->plane[p].magnetic ? 1.0 : -1.0;
        for (int l = 0; l < count; l++) {
            dipole *const image = &images[count + l];
            *image = images[l];
            image->place[axis] = 2.0 * s->plane[p].position - image->place[axis];
            image->electric[axis] = -image->electric[axis];
            image->magnetic[axis] = -image->magnetic[axis];
            for (int i = 0; i < 3; i++) {
                image->electric[i] *= sign;
                image->magnetic[i] *= -sign;
            }
        }
        count *= 2;
    }
    return count;
}

static const double frequency[FREQUENCIES] = {1.0, 4.0};

static sedge_near_fields fill(stage *s, const dipole *dipoles, int count,
                              const sedge_far_medium *medium)
{
    const int64_t points = s->surface.points;

    for (int f = 0; f < FREQUENCIES; f++) {
        for (int64_t p = 0; p < points; p++) {
            double complex *const E = s->E[f * points + p];
            double complex *const H = s->H[f * points + p];
            for (int i = 0; i < 3; i++) E[i] = H[i] = 0.0;
            for (int d = 0; d < count; d++)
                add_dipole(&dipoles[d], frequency[f], medium, s->place[p], E, H);
        }
    }
    return (sedge_near_fields){.frequencies = FREQUENCIES,
                               .frequency = frequency,
                               .E = (const double complex(*)[3])s->E,
                               .H = (const double complex(*)[3])s->H};
}

// The far field of the stage, which has a surface, against that of dipoles where cos(theta)
// has the sign of `side` (0: everywhere), and zero elsewhere. 24 points an edge leave 1e-9.
static void compare(stage *s, const dipole *dipoles, int count, const sedge_far_medium *medium,
                    double side)
{
    const double centre[3] = {-0.2, 0.3, 0.1};
    const sedge_near_fields fields = fill(s, dipoles, count, medium);
    double complex far[FREQUENCIES * DIRECTIONS][2];

    CHECK_OK(sedge_near_surface_check(&s->surface));
    CHECK_OK(
        sedge_far_field_find(&s->surface, &fields, medium, centre, DIRECTIONS, direction, far));
    for (int f = 0; f < FREQUENCIES; f++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            double complex wanted[2] = {0.0, 0.0};
            for (int i = 0; i < count && cos(direction[d][0]) * side > -1e-12; i++)
                add_dipole_far(&dipoles[i], frequency[f], medium, centre, direction[d], wanted);
            for (int c = 0; c < 2; c++)
                CHECK_BOUND(cabs(far[f * DIRECTIONS + d][c] - wanted[c]), 1e-10);
        }
    }
}

// The far field over time of the stage's fields at the first frequency w, which are real parts of
// E exp(j w t): that of the far field at w. With 16 samples a period, h = w interval, cubics err by
// up to 3/128 h^4 and the derivative by h^4/30: 1.4e-3 together. In the middle of the series all
// samples that arrive are known.
static void compare_time(const stage *s, const sedge_far_medium *medium)
{
    static const int at[2] = {0, 3};
    const double w = frequency[0];
    const double interval = 2.0 * PI / (16.0 * w);
    const double centre[3] = {-0.2, 0.3, 0.1};
    const int64_t samples = 36;
    const sedge_near_fields fields = {.frequencies = 1,
                                      .frequency = &w,
                                      .E = (const double complex(*)[3])s->E,
                                      .H = (const double complex(*)[3])s->H};
    double complex far[DIRECTIONS][2];
    double(*values)[6] = NULL;
    double *field = NULL;
    sedge_far_time time;

    CHECK_OK(
        sedge_far_field_find(&s->surface, &fields, medium, centre, DIRECTIONS, direction, far));
    CHECK_OK(sedge_far_time_create(&time, &s->surface, medium, centre, 0.3, interval, samples,
                                   DIRECTIONS, direction));
    CHECK_OK(sedge_allocate(&values, s->surface.points, sizeof *values));
    CHECK_OK(sedge_allocate(&field, time.places, sizeof *field));
    for (int64_t k = 0; k < samples; k++) {
        const double now = 0.3 + interval * (double)k;
        const double complex turn = cexp(J * w * now);
        for (int64_t p = 0; p < s->surface.points; p++) {
            for (int i = 0; i < 3; i++) {
                values[p][i] = creal(s->E[p][i] * turn);
                values[p][3 + i] = creal(s->H[p][i] * turn);
            }
        }
        sedge_far_time_add(&time, now, values[0], 6, at);
    }
    sedge_far_time_gather(&time, comm);
    for (int d = 0; d < DIRECTIONS && sedge_comm_is_root(comm); d++) {
        for (int c = 0; c < 2; c++) {
            sedge_far_time_find(&time, d, c, field);
            for (int64_t k = samples / 2 - 1; k <= samples / 2 + 1; k++) {
                const double exact = creal(far[d][c] * cexp(J * w * (0.3 + interval * (double)k)));
                CHECK_BOUND(fabs(field[k + time.before] - exact), 1.4e-3);
            }
        }
    }
    sedge_release(values);
    sedge_release(field);
    sedge_far_time_clear(&time);
}

static void test_dipoles(void)
{
    const sedge_far_medium dense = {2.0, 1.5};
    const double centre[3] = {0.1, -0.1, 0.05};
    stage s;

    open_stage(&s, comm);
    add_box(&s, lower, upper, 0x3f);
    compare(&s, &source, 1, &dense, 0.0);
    close_stage(&s);
    open_stage(&s, comm);
    add_sphere(&s, centre, 0.6);
    compare(&s, &source, 1, &dense, 0.0);
    compare_time(&s, &dense);
    CHECK_BOUND(fabs(s.surface.area - 4.0 * PI * 0.36), 1e-12);
    close_stage(&s);
}

// One, two and three planes; conductors of both kinds, grounds and mirrors.
static void test_images(void)
{
    const unsigned open[3] = {0x3f & ~(1u << 4), 0x3f & ~(1u << 4 | 1u << 1),
                              0x3f & ~(1u << 4 | 1u << 1 | 1u << 2)};
    const sedge_image_plane planes[3] = {{.axis = 2, .position = lower[2]},
                                         {.axis = 0, .position = upper[0]},
                                         {.axis = 1, .position = lower[1]}};

    for (int count = 1; count <= 3; count++) {
        for (unsigned kinds = 0; kinds < 1u << count; kinds += count < 3 ? 1 : 3) {
            const bool ground = kinds % 2 == 1;
            dipole images[8];
            stage s;
            open_stage(&s, comm);
            add_box(&s, lower, upper, open[count - 1]);
            s.surface.planes = count;
            for (int p = 0; p < count; p++) {
                s.surface.plane[p] = planes[p];
                s.surface.plane[p].magnetic = (kinds >> p & 1) == 1;
            }
            s.surface.plane[0].ground = ground;
            const int dipoles = find_images(&s.surface, images);
            compare(&s, images, dipoles, &vacuum, ground ? 1.0 : 0.0);
            if (count == 2) compare_time(&s, &vacuum);
            CHECK(s.surface.side[0] > 0.0);
            CHECK(count < 2 || s.surface.side[1] < 0.0);
            close_stage(&s);
        }
    }
}

// ---- many directions ---------------------------------------------------------------------------

// Directions theta = step[0] i, phi = from + step[1] j, in degrees, of a surface that may have
// an image: a list of them, which is interpolated where that takes fewer sums, against each of them
// alone, which is not. The currents are those of a dipole near a corner, far from the middle, so
// that degrees up to k R count. The cut leaves out less than 1e-10 of the currents' integral.
static void compare_grid(stage *s, double w, const int count[2], const double step[2], double from)
{
    const double centre[3] = {3.0, -1.0, 2.0};
    const dipole corner = {.place = {0.75, 0.65, 0.45}, .electric = {1.0, -0.5 + 0.7 * J, 0.3}};
    const int all = count[0] * count[1];
    double(*grid)[2] = NULL;
    double complex(*far)[2] = NULL;
    double most = 0.0;
    double worst = 0.0;
    sedge_near_fields fields = {.frequencies = 1,
                                .frequency = &w,
                                .E = (const double complex(*)[3])s->E,
                                .H = (const double complex(*)[3])s->H};

    CHECK_OK(sedge_allocate(&grid, all, sizeof *grid));
    CHECK_OK(sedge_allocate(&far, all, sizeof *far));
    memset(s->E, 0, (size_t)s->surface.points * sizeof *s->E);
    memset(s->H, 0, (size_t)s->surface.points * sizeof *s->H);
    for (int64_t p = 0; p < s->surface.points; p++)
        add_dipole(&corner, w, &vacuum, s->place[p], s->E[p], s->H[p]);
    for (int d = 0; d < all; d++) {
        const int row = d / count[1];
        const int column = d % count[1];
        grid[d][0] = PI / 180.0 * step[0] * row;
        grid[d][1] = PI / 180.0 * (from + step[1] * column);
    }
    CHECK_OK(sedge_far_field_find(&s->surface, &fields, &vacuum, centre, all,
                                  (const double(*)[2])grid, far));
    for (int d = 0; d < all; d++) {
        double complex alone[1][2];
        for (int c = 0; c < 2; c++) most = fmax(most, cabs(far[d][c]));
        if (d % 29 != 0) continue;
        CHECK_OK(sedge_far_field_find(&s->surface, &fields, &vacuum, centre, 1,
                                      (const double(*)[2])grid[d], alone));
        for (int c = 0; c < 2; c++) worst = fmax(worst, cabs(far[d][c] - alone[0][c]));
    }
    CHECK_BOUND(worst, 1e-10 * most);
    sedge_release(grid);
    sedge_release(far);
}

// k R from 0.01 to 30; cuts, the whole sphere, directions between the samples and upon them; with
// a mirror and with a ground.
static void test_grids(void)
{
    static const double size[] = {0.01, 0.1, 1.0, 4.0, 12.0, 30.0};
    static const int counts[3][2] = {{91, 4}, {37, 24}, {181, 1}};
    static const double steps[3][2] = {{2.0, 90.0}, {5.0, 15.0}, {1.0, 0.0}};
    static const double radius = 1.0630146; // of the box

    for (int planes = 0; planes < 3; planes++) {
        stage s;
        open_stage(&s, comm);
        add_box(&s, lower, upper, planes == 0 ? 0x3f : 0x3f & ~(1u << 4));
        s.surface.planes = planes > 0 ? 1 : 0;
        s.surface.plane[0] =
            (sedge_image_plane){.axis = 2, .position = lower[2], .ground = planes == 2};
        CHECK_OK(sedge_near_surface_check(&s.surface));
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
            for (int g = 0; g < 3; g++) {
                if (planes > 0 && i != 3) continue;
                compare_grid(&s, size[i] / radius, counts[g], steps[g], g == 1 ? -180.0 : 0.0);
            }
        }
        close_stage(&s);
    }
}

// ---- power -------------------------------------------------------------------------------------

static double measure(const double complex v[3])
{
    double sum = 0.0;

    for (int i = 0; i < 3; i++) sum += creal(v[i] * conj(v[i]));
    return sum;
}

// A dipole radiates eta k^2 |I l|^2 / 12 pi, a magnetic one the same over eta^2; both in one place
// do not change each other's. The greatest directivity of a short dipole is 1.5, and of one a
// quarter of a wavelength above a ground, upright, 4.60136 in the ground's plane.
static void test_power(void)
{
    const sedge_far_medium dense = {2.0, 1.5};
    const double impedance = sqrt(0.75);
    dipole upright = {.place = {0.1, 0.05, 0.02}, .electric = {0.0, 0.0, 1.0}};
    const double horizon[1][2] = {{0.5 * PI, 0.7}};
    double complex far[FREQUENCIES][2];
    double power[FREQUENCIES], threaded[FREQUENCIES];
    stage s;

    open_stage(&s, comm);
    add_box(&s, lower, upper, 0x3f);
    CHECK_OK(sedge_near_surface_check(&s.surface));
    sedge_near_fields fields = fill(&s, &source, 1, &dense);
    CHECK_OK(sedge_far_field_power(&s.surface, &fields, &dense, power));
    for (int f = 0; f < FREQUENCIES; f++) {
        const int64_t first = f * s.surface.points;
        const double exact =
            3.0 * frequency[f] * frequency[f] / (12.0 * PI) *
            (impedance * measure(source.electric) + measure(source.magnetic) / impedance);
        const double flux =
            sedge_near_surface_power(&s.surface, fields.E + first, fields.H + first);
        CHECK_BOUND(fabs(flux / exact - 1.0), 1e-10);
        CHECK_BOUND(fabs(power[f] / exact - 1.0), 1e-10);
    }
    fields = fill(&s, &upright, 1, &vacuum);
    CHECK_OK(sedge_far_field_power(&s.surface, &fields, &vacuum, power));
    CHECK_OK(sedge_far_field_find(&s.surface, &fields, &vacuum, upright.place, 1, horizon, far));
    for (int f = 0; f < FREQUENCIES; f++)
        CHECK_BOUND(fabs(sedge_pattern_gain(far[f], 1.0, power[f]) - 1.5), 1e-10);
    s.surface.threads = 3; // which share out the directions: equal bits
    CHECK_OK(sedge_far_field_power(&s.surface, &fields, &vacuum, threaded));
    CHECK(memcmp(threaded, power, sizeof power) == 0);
    close_stage(&s);

    // Height 0.5 pi / w of the second frequency; the ground's surface is open below.
    dipole pair[2] = {upright, upright};
    const double ground = upright.place[2] - 0.5 * PI / frequency[1];
    const double bottom[3] = {lower[0], lower[1], ground};
    pair[1].place[2] = 2.0 * ground - upright.place[2];
    for (int mirror = 0; mirror < 2; mirror++) {
        open_stage(&s, comm);
        add_box(&s, bottom, upper, 0x3f & ~(1u << 4));
        s.surface.planes = 1;
        s.surface.plane[0] =
            (sedge_image_plane){.axis = 2, .position = ground, .ground = mirror == 0};
        CHECK_OK(sedge_near_surface_check(&s.surface));
        fields = fill(&s, pair, 2, &vacuum);
        CHECK_OK(sedge_far_field_power(&s.surface, &fields, &vacuum, power));
        CHECK_OK(
            sedge_far_field_find(&s.surface, &fields, &vacuum, pair[0].place, 1, horizon, far));
        const double gain = sedge_pattern_gain(far[1], 1.0, power[1]);
        CHECK_BOUND(fabs(gain - (mirror == 0 ? 4.60136 : 2.30068)), 1e-5);
        const int64_t first = s.surface.points;
        const double flux =
            sedge_near_surface_power(&s.surface, fields.E + first, fields.H + first);
        CHECK_BOUND(fabs(power[1] / flux - 1.0), 1e-10);
        close_stage(&s);
    }
}

// A thin wire of half a wavelength with current cos(k z), whose near field has a closed form; power
// I^2 Cin(2 pi) / (8 pi), directivity 4 / Cin(2 pi).
static void test_half_wave_dipole(void)
{
    const double cin = 2.43765339; // Cin(2 pi)
    const double centre[3] = {0.0, 0.0, 0.0};
    const double k = 2.0 * PI;
    const double horizon[1][2] = {{0.5 * PI, 0.0}};
    double complex far[1][2];
    double power;
    stage s;

    open_stage(&s, comm);
    add_sphere(&s, centre, 0.5);
    CHECK_OK(sedge_near_surface_check(&s.surface));
    for (int64_t p = 0; p < s.surface.points; p++) {
        const double *const x = s.place[p];
        const double rho = hypot(x[0], x[1]);
        double complex e[2] = {0.0, 0.0}; // along rho and z
        double complex h = 0.0;
        for (int end = 0; end < 2; end++) {
            const double z = x[2] + (end == 0 ? -0.25 : 0.25);
            const double distance = hypot(rho, z);
            const double complex wave = J / (4.0 * PI) * cexp(-J * k * distance);
            e[0] += wave * z / (distance * rho);
            e[1] -= wave / distance;
            h += wave / rho;
        }
        for (int i = 0; i < 3; i++) {
            s.E[p][i] = i < 2 ? e[0] * x[i] / rho : e[1];
            s.H[p][i] = i == 0 ? -h * x[1] / rho : (i == 1 ? h * x[0] / rho : 0.0);
        }
    }
    const sedge_near_fields fields = {.frequencies = 1,
                                      .frequency = &k,
                                      .E = (const double complex(*)[3])s.E,
                                      .H = (const double complex(*)[3])s.H};
    CHECK_OK(sedge_far_field_power(&s.surface, &fields, &vacuum, &power));
    CHECK_OK(sedge_far_field_find(&s.surface, &fields, &vacuum, centre, 1, horizon, far));
    CHECK_BOUND(fabs(power - cin / (8.0 * PI)), 1e-8);
    CHECK_BOUND(fabs(sedge_near_surface_power(&s.surface, fields.E, fields.H) - power), 1e-10);
    CHECK_BOUND(fabs(sedge_pattern_gain(far[0], 1.0, power) - 4.0 / cin), 1e-7);
    CHECK_BOUND(cabs(far[0][0] - J / (2.0 * PI)), 1e-10);
    close_stage(&s);
}

// ---- spheres -----------------------------------------------------------------------------------

// The Mie series' near field gives its far field: scattered or total, since an incident wave enters
// a closed surface as much as it leaves it; the flux of the total field is the absorption.
static void test_mie(void)
{
    const sedge_sphere sphere = {.layers = 2,
                                 .centre = {0.1, 0.05, -0.1},
                                 .radius = {0.3, 0.4},
                                 .epsilon = {4.0 - 0.5 * J, 2.0},
                                 .mu = {1.0, 1.0},
                                 .background_epsilon = 1.0,
                                 .background_mu = 1.0};
    const sedge_incident_wave wave = {.direction = {0.0, 0.6, 0.8},
                                      .polarisation = {1.0, 0.8 * J, -0.6 * J}};
    const double k = 5.0;
    sedge_mie *mie;

    CHECK_OK(sedge_mie_create(&mie, &sphere, &wave, k));
    const sedge_mie_sections exact = sedge_mie_find_sections(mie);
    for (int run = 0; run < 4; run++) {
        const sedge_mie_part part = run % 2 == 0 ? SEDGE_MIE_SCATTERED : SEDGE_MIE_TOTAL;
        double complex far[DIRECTIONS][2];
        stage s;
        open_stage(&s, comm);
        if (run < 2) add_box(&s, lower, upper, 0x3f);
        if (run >= 2) add_sphere(&s, sphere.centre, 0.55);
        CHECK_OK(sedge_near_surface_check(&s.surface));
        CHECK_OK(sedge_mie_find_fields(mie, part, s.surface.points, s.surface.place, s.E, s.H));
        const sedge_near_fields fields = {.frequencies = 1,
                                          .frequency = &k,
                                          .E = (const double complex(*)[3])s.E,
                                          .H = (const double complex(*)[3])s.H};
        CHECK_OK(sedge_far_field_find(&s.surface, &fields, &vacuum, sphere.centre, DIRECTIONS,
                                      direction, far));
        for (int d = 0; d < DIRECTIONS; d++) {
            double complex wanted[2];
            double rcs[2][2];
            sedge_mie_find_far(mie, direction[d][0], direction[d][1], wanted);
            sedge_mie_find_rcs(mie, direction[d][0], direction[d][1], rcs[0]);
            sedge_pattern_rcs(far[d], 2.0, rcs[1]);
            for (int c = 0; c < 2; c++) {
                CHECK_BOUND(cabs(far[d][c] - wanted[c]), 1e-10);
                CHECK_BOUND(fabs(rcs[0][c] - rcs[1][c]), 1e-9);
            }
        }
        // |E|^2 is 2, so that power is the cross-section.
        const double power = sedge_near_surface_power(&s.surface, fields.E, fields.H);
        const double wanted = part == SEDGE_MIE_TOTAL ? -exact.absorption : exact.scattering;
        CHECK_BOUND(fabs(power - wanted), 1e-10);
        close_stage(&s);
    }
    sedge_mie_free(mie);
}

// ---- ranks, numbers of a pattern, errors -------------------------------------------------------

static void test_ranks(void)
{
    const double centre[3] = {0.0, 0.0, 0.0};
    double complex far[2][FREQUENCIES * DIRECTIONS][2];
    double power[2][FREQUENCIES];

    for (int alone = 0; alone < 2; alone++) {
        stage s;
        open_stage(&s, alone == 1 ? NULL : comm);
        add_box(&s, lower, upper, 0x3f);
        CHECK_OK(sedge_near_surface_check(&s.surface));
        const sedge_near_fields fields = fill(&s, &source, 1, &vacuum);
        CHECK_OK(sedge_far_field_find(&s.surface, &fields, &vacuum, centre, DIRECTIONS, direction,
                                      far[alone]));
        CHECK_OK(sedge_far_field_power(&s.surface, &fields, &vacuum, power[alone]));
        close_stage(&s);
    }
    for (int i = 0; i < FREQUENCIES * DIRECTIONS; i++)
        for (int c = 0; c < 2; c++) CHECK_BOUND(cabs(far[0][i][c] - far[1][i][c]), 1e-13);
    for (int f = 0; f < FREQUENCIES; f++)
        CHECK_BOUND(fabs(power[0][f] - power[1][f]), 1e-13 * power[1][f]);
}

static void test_pattern(void)
{
    // Crossed dipoles x and -j y: right-handed circular along z; axial ratio 1 / cos(theta) beside.
    const dipole crossed = {.electric = {1.0, -J, 0.0}};
    const double centre[3] = {0.0, 0.0, 0.0};
    double complex circular[2];
    double rcs[2];

    for (int d = 0; d < DIRECTIONS; d++) {
        const double cosine = cos(direction[d][0]);
        double complex far[2] = {0.0, 0.0};
        add_dipole_far(&crossed, 2.0, &vacuum, centre, direction[d], far);
        sedge_pattern_circular(far, circular);
        CHECK(cosine > 0.1 ? cabs(circular[0]) > cabs(circular[1])
                           : (cosine > -0.1 || cabs(circular[0]) < cabs(circular[1])));
        if (fabs(cosine) > 0.1) {
            CHECK_BOUND(fabs(sedge_pattern_axial_ratio(far) * fabs(cosine) - 1.0), 1e-12);
        } else {
            CHECK(sedge_pattern_axial_ratio(far) > 1e12);
        }
        CHECK_BOUND(fabs(sedge_pattern_intensity(far, 1.0) -
                         0.5 * (pow(cabs(circular[0]), 2.0) + pow(cabs(circular[1]), 2.0))),
                    1e-15);
    }
    const double complex far[2] = {3.0 * J, 4.0};
    sedge_pattern_rcs(far, 2.0, rcs);
    CHECK_BOUND(fabs(rcs[0] - 18.0 * PI) + fabs(rcs[1] - 32.0 * PI), 1e-12);
    CHECK_BOUND(fabs(sedge_pattern_decibel(100.0) - 20.0), 1e-14);
    const double complex none[2] = {0.0, 0.0}; // not-a-number is printed without a sign
    const double ratio = sedge_pattern_axial_ratio(none);
    const double gain = sedge_pattern_gain(none, 1.0, 0.0);
    CHECK(isnan(ratio) && !signbit(ratio) && isnan(gain) && !signbit(gain));
}

static sedge_status check_box(unsigned faces, int planes, const sedge_image_plane *plane)
{
    stage s;

    open_stage(&s, comm);
    add_box(&s, lower, upper, faces);
    s.surface.planes = planes;
    for (int p = 0; p < planes && p < 2; p++) s.surface.plane[p] = plane[p];
    const sedge_status status = sedge_near_surface_check(&s.surface);
    close_stage(&s);
    return status;
}

static void test_errors(void)
{
    const sedge_image_plane below = {.axis = 2, .position = lower[2]};
    const sedge_image_plane middle = {.axis = 2, .position = 0.0};
    const sedge_image_plane twice[2] = {below, middle};
    const sedge_image_plane far_away = {.axis = 2, .position = -5.0};
    const sedge_image_plane odd = {.axis = 3};
    const double frequencies[1] = {0.0};
    const double centre[3] = {0.0, 0.0, 0.0};
    double complex far[DIRECTIONS][2];
    stage s;

    CHECK_FAILS(check_box(0x3e, 0, NULL), SEDGE_ERR_USAGE,
                "not closed: its normals' integral along x is");
    CHECK_FAILS(check_box(0x3c, 0, NULL), SEDGE_ERR_USAGE,
                "not closed: int x n_x dS is 0, must be");
    CHECK_FAILS(check_box(0x2e, 1, &below), SEDGE_ERR_USAGE, "along x is");
    CHECK_FAILS(check_box(0x2f, 1, &far_away), SEDGE_ERR_USAGE, "not closed: int ");
    CHECK_FAILS(check_box(0x3f, 1, &below), SEDGE_ERR_USAGE, "lies in an image plane");
    CHECK_FAILS(check_box(0x3f, 1, &middle), SEDGE_ERR_USAGE,
                "crosses the image plane z = 0: it "
                "reaches 0.");
    CHECK_FAILS(check_box(0x3f, 2, twice), SEDGE_ERR_USAGE,
                "two image planes are perpendicular to z");
    CHECK_FAILS(check_box(0x3f, 1, &odd), SEDGE_ERR_USAGE, "axis 3");
    CHECK_FAILS(check_box(0x3f, 4, twice), SEDGE_ERR_USAGE, "4 image planes are outside 0..3");
    CHECK_FAILS(check_box(0, 0, NULL), SEDGE_ERR_USAGE, "has area 0");
    CHECK_OK(check_box(0x2f, 1, &below));
    CHECK_OK(check_box(0x3f, 1, &far_away));

    open_stage(&s, comm);
    add_box(&s, lower, upper, 0x3f);
    for (int64_t p = 0; p < s.surface.points; p++)
        for (int i = 0; i < 3; i++) s.normal[p][i] = -s.normal[p][i];
    CHECK_FAILS(sedge_near_surface_check(&s.surface), SEDGE_ERR_USAGE, "must point outward");
    if (sedge_comm_is_root(comm)) s.normal[0][0] += 0.5; // on one rank alone
    CHECK_FAILS(sedge_near_surface_check(&s.surface), SEDGE_ERR_USAGE, "1 normals of");
    sedge_near_fields fields = fill(&s, &source, 1, &vacuum);
    fields.frequencies = 1;
    fields.frequency = frequencies;
    CHECK_FAILS(
        sedge_far_field_find(&s.surface, &fields, &vacuum, centre, DIRECTIONS, direction, far),
        SEDGE_ERR_USAGE, "frequency 0 is 0, must be positive");
    const sedge_far_medium hollow = {0.0, 1.0};
    CHECK_FAILS(sedge_far_field_power(&s.surface, &fields, &hollow, &s.weight[0]), SEDGE_ERR_USAGE,
                "epsilon outside the surface is 0");
    close_stage(&s);
}

int main(void)
{
    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_dipoles();
    test_images();
    test_grids();
    test_power();
    test_half_wave_dipole();
    test_mie();
    test_ranks();
    test_pattern();
    test_errors();
    sedge_comm_free(comm);
    return CHECK_END();
}
