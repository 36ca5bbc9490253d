#include "far_field.h"

#include "base/memory.h"
#include "base/parallel.h"

#include "gauss.h"

#include <math.h>

#define PI    3.14159265358979323846
#define J     ((double complex)_Complex_I)
#define BLOCK 256 // points between two sines and their use
#define LANES 4   // sums that the compiler may add up at once

// The least work of a thread, points times directions: starting one takes as long as 1000 of them.
enum { GRAIN = 1 << 15 };

// Six complex currents at each point: J and M times the weight.
enum { PARTS = 12 };

typedef struct transform {
    const sedge_near_surface *surface;
    const sedge_near_fields *fields;
    double wavenumber, impedance; // at the current frequency
    double centre[3];
    double *currents; // [PARTS][points], at the current frequency: real parts, then imaginary ones
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

// total[0] += the real part of the sum over `count` points of (re + j im) (cosine + j sine),
// total[PARTS / 2] += its imaginary part.
static void add_products(int count, const double *re, const double *im, const double *cosine,
                         const double *sine, double *total)
{
    double sum_re[LANES] = {0.0};
    double sum_im[LANES] = {0.0};
    int first = 0;

    for (; first + LANES <= count; first += LANES) {
        for (int l = 0; l < LANES; l++) {
            const int i = first + l;
            sum_re[l] += re[i] * cosine[i] - im[i] * sine[i];
            sum_im[l] += re[i] * sine[i] + im[i] * cosine[i];
        }
    }
    for (int i = first; i < count; i++) {
        sum_re[0] += re[i] * cosine[i] - im[i] * sine[i];
        sum_im[0] += re[i] * sine[i] + im[i] * cosine[i];
    }
    for (int l = 0; l < LANES; l++) {
        total[0] += sum_re[l];
        total[PARTS / 2] += sum_im[l];
    }
}

// J and M [6] integrated with exp(j k r.x), by this rank.
static void integrate(const transform *t, const double r[3], double complex sums[6])
{
    const sedge_near_surface *const s = t->surface;
    double total[PARTS] = {0.0};

    for (int64_t first = 0; first < s->points; first += BLOCK) {
        const int count = (int)(s->points - first < BLOCK ? s->points - first : BLOCK);
        double angle[BLOCK];
        double cosine[BLOCK];
        double sine[BLOCK];
        for (int i = 0; i < count; i++) {
            const double *const x = s->place[first + i];
            const double path = r[0] * (x[0] - t->centre[0]) + r[1] * (x[1] - t->centre[1]) +
                                r[2] * (x[2] - t->centre[2]);
            angle[i] = t->wavenumber * path;
        }
        find_phases(count, angle, cosine, sine);
        for (int c = 0; c < PARTS / 2; c++) {
            const double *const re = t->currents + c * s->points + first;

            add_products(count, re, re + PARTS / 2 * s->points, cosine, sine, total + c);
        }
    }
    for (int c = 0; c < PARTS / 2; c++) sums[c] = total[c] + J * total[PARTS / 2 + c];
}

static void set_frequency(transform *t, int f, const sedge_far_medium *medium)
{
    const int64_t points = t->surface->points;

    t->wavenumber = t->fields->frequency[f] * sqrt(medium->epsilon * medium->mu);
    t->impedance = sqrt(medium->mu / medium->epsilon);
    for (int64_t p = 0; p < points; p++) {
        const double *const n = t->surface->normal[p];
        const double complex *const E = t->fields->E[f * points + p];
        const double complex *const H = t->fields->H[f * points + p];
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
// plane's distance from the centre.
static void add_image(const transform *t, unsigned mask, const double r[3], double complex sums[6])
{
    const sedge_near_surface *const s = t->surface;
    double mirrored[3] = {r[0], r[1], r[2]};
    double sign[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    double complex image[6];
    double path = 0.0;

    for (int p = 0; p < s->planes; p++) {
        if ((mask >> p & 1) == 0) continue;
        const sedge_image_plane *const plane = &s->plane[p];
        mirrored[plane->axis] = -r[plane->axis];
        path += 2.0 * r[plane->axis] * (plane->position - t->centre[plane->axis]);
        for (int i = 0; i < 3; i++) {
            const double factor = (i == plane->axis) == plane->magnetic ? -1.0 : 1.0;
            sign[i] *= factor;
            sign[3 + i] *= -factor;
        }
    }
    integrate(t, mirrored, image);
    const double complex phase = cexp(J * t->wavenumber * path);
    for (int c = 0; c < 6; c++) sums[c] += sign[c] * phase * image[c];
}

static bool is_behind(const sedge_near_surface *s, const double r[3])
{
    for (int p = 0; p < s->planes; p++)
        if (s->plane[p].ground && s->side[p] * r[s->plane[p].axis] < -1e-12) return true;
    return false;
}

// This rank's part of the far field in one direction.
static void find_direction(const transform *t, const double direction[2], double complex far[2])
{
    const double st = sin(direction[0]);
    const double ct = cos(direction[0]);
    const double sp = sin(direction[1]);
    const double cp = cos(direction[1]);
    const double r[3] = {st * cp, st * sp, ct};
    const double theta[3] = {ct * cp, ct * sp, -st};
    const double phi[3] = {-sp, cp, 0.0};
    double complex sums[6] = {0};
    double complex N[2] = {0}; // theta, phi
    double complex L[2] = {0};

    for (unsigned mask = 0; mask < 1u << t->surface->planes; mask++) add_image(t, mask, r, sums);
    for (int i = 0; i < 3; i++) {
        N[0] += theta[i] * sums[i];
        N[1] += phi[i] * sums[i];
        L[0] += theta[i] * sums[3 + i];
        L[1] += phi[i] * sums[3 + i];
    }
    const double complex factor = J * t->wavenumber / (4.0 * PI);
    far[0] = -factor * (L[1] + t->impedance * N[0]);
    far[1] = factor * (L[0] - t->impedance * N[1]);
}

typedef struct pattern {
    const transform *transform;
    const double (*direction)[2];
    double complex (*far)[2];
} pattern;

static void find_directions(void *context, int64_t first, int64_t end)
{
    const pattern *const all = context;

    for (int64_t d = first; d < end; d++)
        find_direction(all->transform, all->direction[d], all->far[d]);
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

// The far field of currents and images, also behind grounds.
static sedge_status find_everywhere(const sedge_near_surface *surface,
                                    const sedge_near_fields *fields, const sedge_far_medium *medium,
                                    const double centre[3], int64_t count,
                                    const double (*direction)[2], double complex (*far)[2])
{
    transform t = {.surface = surface, .fields = fields};
    const sedge_status status = check(fields, medium);

    for (int i = 0; i < 3; i++) t.centre[i] = centre[i];
    SEDGE_TRY(sedge_comm_agree(
        surface->comm, status != SEDGE_OK
                           ? status
                           : sedge_allocate(&t.currents, PARTS * surface->points, sizeof(double))));
    for (int f = 0; f < fields->frequencies; f++) {
        pattern all = {&t, direction, far + f * count};
        set_frequency(&t, f, medium);
        sedge_parallel(surface->threads, count, GRAIN / (surface->points + 1) + 1, find_directions,
                       &all);
    }
    sedge_release(t.currents);
    add_ranks(surface->comm, (double *)far, 4 * (int64_t)fields->frequencies * count);
    return SEDGE_OK;
}

sedge_status sedge_far_field_find(const sedge_near_surface *surface,
                                  const sedge_near_fields *fields, const sedge_far_medium *medium,
                                  const double centre[3], int64_t directions,
                                  const double (*direction)[2], double complex (*far)[2])
{
    SEDGE_TRY(find_everywhere(surface, fields, medium, centre, directions, direction, far));
    for (int64_t d = 0; d < directions; d++) {
        const double theta = direction[d][0];
        const double phi = direction[d][1];
        const double r[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
        if (!is_behind(surface, r)) continue;
        for (int f = 0; f < fields->frequencies; f++)
            far[f * directions + d][0] = far[f * directions + d][1] = 0.0;
    }
    return SEDGE_OK;
}

// ---- radiated power ----------------------------------------------------------------------------

// The middle of the surface's box with its images, and the greatest distance from it.
static double find_radius(const sedge_near_surface *s, double middle[3])
{
    double bounds[6]; // -least, most
    double radius = 0.0;

    for (int i = 0; i < 6; i++) bounds[i] = -HUGE_VAL;
    for (int64_t p = 0; p < s->points; p++) {
        for (int i = 0; i < 3; i++) {
            bounds[i] = fmax(bounds[i], -s->place[p][i]);
            bounds[3 + i] = fmax(bounds[3 + i], s->place[p][i]);
        }
    }
    sedge_comm_max(s->comm, bounds, 6);
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (bounds[3 + i] - bounds[i]);
    for (int p = 0; p < s->planes; p++) middle[s->plane[p].axis] = s->plane[p].position;
    for (int64_t p = 0; p < s->points; p++) {
        double square = 0.0;
        for (int i = 0; i < 3; i++) {
            const double apart = s->place[p][i] - middle[i]; // an image is as far away
            square += apart * apart;
        }
        radius = fmax(radius, sqrt(square));
    }
    sedge_comm_max(s->comm, &radius, 1);
    return radius;
}

sedge_status sedge_far_field_power(const sedge_near_surface *surface,
                                   const sedge_near_fields *fields, const sedge_far_medium *medium,
                                   double *power)
{
    double middle[3];
    double largest = 0.0;
    sedge_status status;
    double *x = NULL; // points and weights in cos(theta)
    double(*direction)[2] = NULL;
    double complex(*far)[2] = NULL;

    SEDGE_TRY(sedge_comm_agree(surface->comm, check(fields, medium)));
    for (int f = 0; f < fields->frequencies; f++) largest = fmax(largest, fields->frequency[f]);
    largest *= sqrt(medium->epsilon * medium->mu) * find_radius(surface, middle);
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
    SEDGE_TRY_GOTO(status,
                   find_everywhere(surface, fields, medium, middle, directions, directed, far));
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
