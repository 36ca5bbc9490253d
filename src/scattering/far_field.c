#include "far_field.h"

#include "base/memory.h"
#include "base/parallel.h"

#include "gauss.h"
#include "great_circles.h"

#include <math.h>

#define PI    3.14159265358979323846
#define J     ((double complex)_Complex_I)
#define BLOCK 256 // points between two sines and their use
#define LANES 2   // of each sum, which are added up at once

// The least work of a thread, points times axes: starting one takes as long as 1000 of them.
enum { GRAIN = 1 << 15 };

// Six complex currents at each point: J and M times the weight.
enum { PARTS = 12 };

typedef struct transform {
    const sedge_near_surface *surface;
    double impedance;
    // At the current frequency:
    double wavenumber;
    const double complex (*E)[3], (*H)[3]; // [points]
    double *currents;                      // [PARTS][points]: real parts, then imaginary ones
} transform;

// Cosines and sines of angles up to 1e6, to 3e-16, in a form that compilers turn into vectors: the
// angle less the nearest multiple q of pi/2 (in two parts, as q has few digits), the polynomials of
// fdlibm's kernels, and the quadrant. Adding and subtracting 1.5 * 2^52 rounds.
static void find_phases(int count, const double *angle, double *cosine, double *sine)
{
    const double big = 6755399441055744.0;

    for (int i = 0; i < count; i++) {
        const double q = (angle[i] * (2.0 / PI) + big) - big;
        const double y = (angle[i] - q * 0x1.921fb544p+0) - q * 0x1.0b4611a626331p-34;
        const double z = y * y;
        const double s = y + y * z *
                                 (-1.66666666666666307295e-1 +
                                  z * (8.33333333332211858878e-3 +
                                       z * (-1.98412698295895385996e-4 +
                                            z * (2.75573136213857245213e-6 +
                                                 z * (-2.50507477628578072866e-8 +
                                                      z * 1.58962301576546568060e-10)))));
        const double c = 1.0 - 0.5 * z +
                         z * z *
                             (4.16666666666665929218e-2 +
                              z * (-1.38888888888730564116e-3 +
                                   z * (2.48015872888517045348e-5 +
                                        z * (-2.75573141792967388112e-7 +
                                             z * (2.08757008419747316778e-9 -
                                                  z * 1.13585365213876817300e-11)))));
        const double quarter = q - 4.0 * ((q * 0.25 + big) - big); // -2 to 2
        const double odd = fabs(fabs(quarter) - 1.0) < 0.5 ? 1.0 : 0.0;

        cosine[i] = (quarter > 0.5 || quarter < -1.5 ? -1.0 : 1.0) * (c + odd * (s - c));
        sine[i] = (fabs(quarter) > 1.5 || quarter < -0.5 ? -1.0 : 1.0) * (s + odd * (c - s));
    }
}

// Add the sums over `count` points of re cosine, im sine, re sine, and im cosine to `total`. One
// inner loop a sum: with all in one gcc 12 shuffles.
static void add_products(int count, const double *re, const double *im, const double *cosine,
                         const double *sine, double total[4])
{
    double sums[4][LANES] = {{0.0}};
    int first = 0;

    for (; first + LANES <= count; first += LANES) {
        const double *const c = cosine + first;
        const double *const s = sine + first;

        for (int l = 0; l < LANES; l++) sums[0][l] += re[first + l] * c[l];
        for (int l = 0; l < LANES; l++) sums[1][l] += im[first + l] * s[l];
        for (int l = 0; l < LANES; l++) sums[2][l] += re[first + l] * s[l];
        for (int l = 0; l < LANES; l++) sums[3][l] += im[first + l] * c[l];
    }
    for (int i = first; i < count; i++) {
        sums[0][0] += re[i] * cosine[i];
        sums[1][0] += im[i] * sine[i];
        sums[2][0] += re[i] * sine[i];
        sums[3][0] += im[i] * cosine[i];
    }
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < LANES; l++) total[k] += sums[k][l];
}

// J and M [6] integrated with exp(j k r.x) and exp(-j k r.x), by this rank.
static void integrate(const transform *t, const double r[3], double complex sums[2][6])
{
    const sedge_near_surface *const s = t->surface;
    double total[PARTS / 2][4] = {{0.0}};

    for (int64_t first = 0; first < s->points; first += BLOCK) {
        const int count = (int)(s->points - first < BLOCK ? s->points - first : BLOCK);
        double angle[BLOCK];
        double cosine[BLOCK];
        double sine[BLOCK];
        for (int i = 0; i < count; i++) {
            const double *const x = s->place[first + i];
            const double path = r[0] * (x[0] - s->middle[0]) + r[1] * (x[1] - s->middle[1]) +
                                r[2] * (x[2] - s->middle[2]);
            angle[i] = t->wavenumber * path;
        }
        find_phases(count, angle, cosine, sine);
        for (int c = 0; c < PARTS / 2; c++) {
            const double *const re = t->currents + c * s->points + first;

            add_products(count, re, re + PARTS / 2 * s->points, cosine, sine, total[c]);
        }
    }
    for (int c = 0; c < PARTS / 2; c++) {
        const double *const sum = total[c];

        sums[0][c] = sum[0] - sum[1] + J * (sum[2] + sum[3]);
        sums[1][c] = sum[0] + sum[1] + J * (sum[3] - sum[2]);
    }
}

static void set_currents(void *context, int64_t first, int64_t end)
{
    const transform *const t = context;
    const int64_t points = t->surface->points;

    for (int64_t p = first; p < end; p++) {
        const double *const n = t->surface->normal[p];
        const double complex *const E = t->E[p];
        const double complex *const H = t->H[p];
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3;
            const int b = (i + 2) % 3;
            const double complex electric = n[a] * H[b] - n[b] * H[a];
            const double complex magnetic = n[b] * E[a] - n[a] * E[b];
            const double weight = t->surface->weight[p];
            t->currents[i * points + p] = weight * creal(electric);
            t->currents[(3 + i) * points + p] = weight * creal(magnetic);
            t->currents[(6 + i) * points + p] = weight * cimag(electric);
            t->currents[(9 + i) * points + p] = weight * cimag(magnetic);
        }
    }
}

// Add the image by the planes of the bit set `mask`. Currents that are mirrored at x_i = p have in
// direction r the integrals of the currents themselves in the mirrored direction, components
// reversed as in a mirror (tangential J at an electric conductor, ...), and the phase of twice the
// plane's distance from the middle. That is 0: the middle lies in all planes.
static void add_image(const transform *t, unsigned mask, const double r[3],
                      double complex sums[2][6])
{
    const sedge_near_surface *const s = t->surface;
    double mirrored[3] = {r[0], r[1], r[2]};
    double sign[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    double complex image[2][6];

    for (int p = 0; p < s->planes; p++) {
        if ((mask >> p & 1) == 0) continue;
        const sedge_image_plane *const plane = &s->plane[p];
        mirrored[plane->axis] = -r[plane->axis];
        for (int i = 0; i < 3; i++) {
            const double factor = (i == plane->axis) == plane->magnetic ? -1.0 : 1.0;
            sign[i] *= factor;
            sign[3 + i] *= -factor;
        }
    }
    integrate(t, mirrored, image);
    for (int h = 0; h < 2; h++)
        for (int c = 0; c < 6; c++) sums[h][c] += sign[c] * image[h][c];
}

static bool is_behind(const sedge_near_surface *s, const double r[3])
{
    for (int p = 0; p < s->planes; p++)
        if (s->plane[p].ground && s->side[p] * r[s->plane[p].axis] < -1e-12) return true;
    return false;
}

static void find_outward(const double direction[2], double r[3])
{
    r[0] = sin(direction[0]) * cos(direction[1]);
    r[1] = sin(direction[0]) * sin(direction[1]);
    r[2] = cos(direction[0]);
}

// This rank's part of the far field about the middle, at theta and at theta + pi on the great
// circle: there r and the unit vector of theta are reversed, that of phi is the same.
static void find_axis(const transform *t, const double axis[2], double complex far[2][2])
{
    const double ct = cos(axis[0]);
    const double sp = sin(axis[1]);
    const double cp = cos(axis[1]);
    const double theta[3] = {ct * cp, ct * sp, -sin(axis[0])};
    const double phi[3] = {-sp, cp, 0.0};
    const double complex factor = J * t->wavenumber / (4.0 * PI);
    double complex sums[2][6] = {{0}};
    double r[3];

    find_outward(axis, r);
    for (unsigned mask = 0; mask < 1u << t->surface->planes; mask++) add_image(t, mask, r, sums);
    for (int h = 0; h < 2; h++) {
        double complex N[2] = {0}; // theta, phi
        double complex L[2] = {0};
        for (int i = 0; i < 3; i++) {
            N[0] += (h == 0 ? theta[i] : -theta[i]) * sums[h][i];
            N[1] += phi[i] * sums[h][i];
            L[0] += (h == 0 ? theta[i] : -theta[i]) * sums[h][3 + i];
            L[1] += phi[i] * sums[h][3 + i];
        }
        far[h][0] = -factor * (L[1] + t->impedance * N[0]);
        far[h][1] = factor * (L[0] - t->impedance * N[1]);
    }
}

typedef struct pattern {
    const transform *transform;
    const double (*axis)[2];
    double complex (*known)[2][2];
} pattern;

static void find_axes(void *context, int64_t first, int64_t end)
{
    const pattern *const all = context;

    for (int64_t a = first; a < end; a++) find_axis(all->transform, all->axis[a], all->known[a]);
}

static sedge_status check(const sedge_near_fields *fields, const sedge_far_medium *medium)
{
    const double both[2] = {medium->epsilon, medium->mu};

    for (int i = 0; i < 2; i++) {
        if (!(both[i] > 0.0 && isfinite(both[i]))) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "far field: %s outside the surface is %g, must be positive",
                              i == 0 ? "epsilon" : "mu", both[i]);
        }
    }
    for (int f = 0; f < fields->frequencies; f++) {
        if (!(fields->frequency[f] > 0.0 && isfinite(fields->frequency[f]))) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "far field: frequency %d is %g, must be positive", f,
                              fields->frequency[f]);
        }
    }
    return SEDGE_OK;
}

static void add_ranks(const sedge_comm *comm, double *values, int64_t count)
{
    const int64_t most = 1 << 24;

    for (int64_t first = 0; first < count; first += most)
        sedge_comm_sum(comm, values + first, (int)(count - first < most ? count - first : most));
}

// The far field in the circles' directions about the middle. Collective.
static sedge_status find_circles(const transform *t, const sedge_circles *circles,
                                 double complex (*far)[2])
{
    const sedge_near_surface *const s = t->surface;
    pattern all = {.transform = t, .axis = (const double(*)[2])circles->axis};
    sedge_status status = sedge_allocate(&all.known, circles->axes, sizeof *all.known);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(s->comm, status));
    sedge_parallel(s->threads, circles->axes, GRAIN / (s->points + 1) + 1, find_axes, &all);
    add_ranks(s->comm, (double *)all.known, 8 * circles->axes);
    status = sedge_circles_fill(circles, s->threads, (const double complex(*)[2][2])all.known, far);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(s->comm, status));
done:
    sedge_release(all.known);
    return status;
}

// The far field of currents and images, also behind grounds.
static sedge_status find_everywhere(const sedge_near_surface *surface,
                                    const sedge_near_fields *fields, const sedge_far_medium *medium,
                                    const double centre[3], int64_t count,
                                    const double (*direction)[2], double complex (*far)[2])
{
    transform t = {.surface = surface, .impedance = sqrt(medium->mu / medium->epsilon)};
    sedge_circles circles = {0};
    sedge_status status = check(fields, medium);

    if (status == SEDGE_OK)
        status = sedge_allocate(&t.currents, PARTS * surface->points, sizeof(double));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(surface->comm, status));
    for (int f = 0; f < fields->frequencies; f++) {
        t.wavenumber = fields->frequency[f] * sqrt(medium->epsilon * medium->mu);
        t.E = fields->E + f * surface->points;
        t.H = fields->H + f * surface->points;
        sedge_parallel(surface->threads, surface->points, GRAIN, set_currents, &t);
        status = sedge_circles_create(&circles, t.wavenumber * surface->radius, count, direction);
        SEDGE_TRY_GOTO(status, sedge_comm_agree(surface->comm, status));
        SEDGE_TRY_GOTO(status, find_circles(&t, &circles, far + f * count));
        sedge_circles_clear(&circles);
        circles = (sedge_circles){0};
        for (int64_t d = 0; d < count; d++) {
            double r[3];
            double path = 0.0;
            find_outward(direction[d], r);
            for (int i = 0; i < 3; i++) path += r[i] * (surface->middle[i] - centre[i]);
            for (int i = 0; i < 2; i++) far[f * count + d][i] *= cexp(J * t.wavenumber * path);
        }
    }
done:
    sedge_circles_clear(&circles);
    sedge_release(t.currents);
    return status;
}

sedge_status sedge_far_field_find(const sedge_near_surface *surface,
                                  const sedge_near_fields *fields, const sedge_far_medium *medium,
                                  const double centre[3], int64_t directions,
                                  const double (*direction)[2], double complex (*far)[2])
{
    SEDGE_TRY(find_everywhere(surface, fields, medium, centre, directions, direction, far));
    for (int64_t d = 0; d < directions; d++) {
        double r[3];
        find_outward(direction[d], r);
        if (!is_behind(surface, r)) continue;
        for (int f = 0; f < fields->frequencies; f++)
            far[f * directions + d][0] = far[f * directions + d][1] = 0.0;
    }
    return SEDGE_OK;
}

// ---- radiated power ----------------------------------------------------------------------------

sedge_status sedge_far_field_power(const sedge_near_surface *surface,
                                   const sedge_near_fields *fields, const sedge_far_medium *medium,
                                   double *power)
{
    double largest = 0.0;
    sedge_status status;
    double *x = NULL; // points and weights in cos(theta)
    double(*direction)[2] = NULL;
    double complex(*far)[2] = NULL;

    SEDGE_TRY(sedge_comm_agree(surface->comm, check(fields, medium)));
    for (int f = 0; f < fields->frequencies; f++) largest = fmax(largest, fields->frequency[f]);
    largest *= sqrt(medium->epsilon * medium->mu) * surface->radius;
    const int rows = (int)ceil(largest) + 11;
    const int columns = 2 * rows;
    const int64_t directions = (int64_t)rows * columns;
    status = sedge_allocate(&x, 2 * (int64_t)rows, sizeof(double));
    if (status == SEDGE_OK) status = sedge_allocate(&direction, directions, sizeof *direction);
    if (status == SEDGE_OK)
        status = sedge_allocate(&far, directions * fields->frequencies, sizeof *far);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(surface->comm, status));
    sedge_gauss_legendre(rows, x, x + rows);
    for (int64_t d = 0; d < directions; d++) {
        direction[d][0] = acos(x[d / columns]);
        direction[d][1] = 2.0 * PI * (double)(d % columns) / columns;
    }
    const double(*const directed)[2] = (const double(*)[2])direction;
    SEDGE_TRY_GOTO(status, find_everywhere(surface, fields, medium, surface->middle, directions,
                                           directed, far));
    double factor = sqrt(medium->epsilon / medium->mu) * PI / columns; // 2 pi / columns, over 2 eta
    for (int p = 0; p < surface->planes; p++)
        if (surface->plane[p].ground) factor *= 0.5;
    for (int f = 0; f < fields->frequencies; f++) {
        power[f] = 0.0;
        for (int64_t d = 0; d < directions; d++) {
            const double complex *const at = far[f * directions + d];
            power[f] +=
                factor * x[rows + d / columns] * creal(at[0] * conj(at[0]) + at[1] * conj(at[1]));
        }
    }
done:
    sedge_release(far);
    sedge_release(direction);
    sedge_release(x);
    return status;
}
