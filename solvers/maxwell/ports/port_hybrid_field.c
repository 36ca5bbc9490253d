// The field of a mode-port.
#include "port_field.h"

#include "maxwell/sections/port_hybrid.h"
#include "port_fit.h"

#include "base/memory.h"
#include "dg/response.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIX      6    // fields
#define STEP     1e-4 // of the frequency, of differences
#define ROUNDING 1e-9 // of components of epsilon and mu
#define PLACES   8    // of an edge of the outline, at which the field is looked at
#define REACHES  0.1  // the outline: of the field's greatest value
#define SAME     2e-5 // by which beta^2 of modes that count as one differ
#define NEAR     6e-4 // and those of the two directions of a mode, of which meshes make two
#define ACROSS   0.2  // cosine between the directions of such two

// ---- media -------------------------------------------------------------------------------------

// The components of a [6][6] block along three axes, of which the first two are the section's.
// False: it couples these with the third one, or its imaginary part is no loss.
static bool find_tensor(double complex out[PORT_TENSOR], const double complex *block,
                        const double axes[3][3], double unit)
{
    static const int of[PORT_TENSOR][2] = {{0, 0}, {0, 1}, {1, 1}, {2, 2}};
    double complex turned[3][3];
    double largest = 0.0;
    bool fits = true;

    for (int k = 0; k < 9; k++) {
        turned[k / 3][k % 3] = 0.0;
        for (int i = 0; i < 9; i++) {
            turned[k / 3][k % 3] +=
                axes[k / 3][i / 3] * axes[k % 3][i % 3] * block[i / 3 * SIX + i % 3] / unit;
        }
        largest = fmax(largest, cabs(turned[k / 3][k % 3]));
    }
    for (int k = 0; k < 2; k++)
        fits = fits && cabs(turned[k][2]) + cabs(turned[2][k]) <= ROUNDING * largest;
    fits = fits && cabs(turned[0][1] - turned[1][0]) <= ROUNDING * largest;
    for (int k = 0; k < PORT_TENSOR; k++) out[k] = turned[of[k][0]][of[k][1]];
    return fits;
}

// epsilon and mu.
static bool find_response(double complex epsilon[PORT_TENSOR], double complex *mu,
                          const sedge_problem *problem, int volume, double omega,
                          const double axes[3][3])
{
    const double *const m = problem->materials[volume];
    double complex all[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS], tensor[PORT_TENSOR];

    if (!sedge_response_matrix(all, problem, volume, omega)) return false;
    for (int i = 0; i < SIX * SIX; i++)
        if (i / SIX / 3 != i % SIX / 3 && cabs(all[i]) > 0.0) return false;
    if (!find_tensor(epsilon, all, axes, m[MAXWELL_INVERSE_EPSILON]) ||
        !find_tensor(tensor, all + 3L * SIX + 3, axes, m[MAXWELL_INVERSE_MU]))
        return false;
    *mu = tensor[PORT_UU];
    return cabs(tensor[PORT_VV] - *mu) <= ROUNDING * cabs(*mu) &&
           cabs(tensor[PORT_ALONG] - *mu) <= ROUNDING * cabs(*mu) &&
           cabs(tensor[PORT_UV]) <= ROUNDING * cabs(*mu);
}

// d(omega x) / d omega, from x at two frequencies.
static double find_slope(double complex low, double complex high)
{
    return creal((1.0 + STEP) * high - (1.0 - STEP) * low) / (2.0 * STEP);
}

bool port_medium_find(port_medium *out, double *loss, const sedge_problem *problem, int volume,
                      double omega, const double axes[2][3])
{
    static const double factor[3] = {1.0, 1.0 - STEP, 1.0 + STEP};
    const double *const u = axes[0], *const v = axes[1];
    const double all[3][3] = {
        {u[0], u[1], u[2]},
        {v[0], v[1], v[2]},
        {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}};
    double complex epsilon[3][PORT_TENSOR], mu[3];
    double principal[3];

    for (int i = 0; i < 3; i++) {
        if (!find_response(epsilon[i], &mu[i], problem, volume, factor[i] * omega, all))
            return false;
    }
    for (int k = 0; k < PORT_TENSOR; k++) {
        out->epsilon[k] = creal(epsilon[0][k]);
        out->epsilon_group[k] = find_slope(epsilon[1][k], epsilon[2][k]);
    }
    out->mu = creal(mu[0]);
    out->mu_group = find_slope(mu[1], mu[2]);
    port_medium_principal(principal, out);
    *loss = fabs(cimag(mu[0]) / creal(mu[0]));
    for (int k = 0; k < PORT_TENSOR; k++) {
        const double least = fmin(fabs(principal[1]), fabs(principal[2]));
        *loss = fmax(*loss, fabs(cimag(epsilon[0][k])) / least);
    }
    return true;
}

// ---- the port ----------------------------------------------------------------------------------

// A port at its frequency.
typedef struct site {
    const port_section *section;
    const sedge_problem *problem;
    port_media media;
    bool *open;   // [faces][3] edges of the outline that are on no wall
    double *work; // of the section's basis
    const char *where;
} site;

static double frequency_of(const site *at)
{
    return at->media.omega / (2.0 * PORT_PI);
}

static sedge_status create(site *at, const sedge_surface_shape *shape, const shape_edge *magnetic,
                           int64_t count)
{
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const port_section *const s = at->section;
    const int64_t faces = s->field->faces;

    SEDGE_TRY(sedge_allocate(&at->media.face, faces, sizeof *at->media.face));
    SEDGE_TRY(sedge_allocate(&at->open, 3 * faces, sizeof *at->open));
    SEDGE_TRY(sedge_allocate(&at->work, 3LL * s->local, sizeof *at->work));
    for (int64_t i = 0; i < faces; i++) {
        const double *const x = shape->triangles[i];
        double corners[9], loss;

        sedge_surface_corners(corners, x, x + 3, x + 6);
        const int64_t f = sedge_surface_field_find(s->field, corners);
        (void)port_medium_find(&at->media.face[f], &loss, at->problem, shape->volumes[i][0],
                               at->media.omega, s->axes);
    }
    for (int64_t i = 0; i < 3 * faces; i++) {
        const double *const x = s->field->corners[i / 3];
        const int64_t edge = s->edge[i];

        at->open[i] = s->rim_edge[edge] && !s->wall_edge[edge] &&
                      shape_find_edge(magnetic, count, x + (ptrdiff_t)3 * ends[i % 3][0],
                                      x + (ptrdiff_t)3 * ends[i % 3][1]) < 0;
    }
    return SEDGE_OK;
}

static void clear(const site *at)
{
    sedge_release(at->media.face);
    sedge_release(at->open);
    sedge_release(at->work);
}

// Waves with this beta^2 or less leave through the outline.
static double find_least(const site *at)
{
    double least = 0.0;

    for (int64_t i = 0; i < 3 * at->section->field->faces; i++) {
        if (!at->open[i]) continue;
        const double square = port_medium_greatest(&at->media.face[i / 3]);
        least = fmax(least, at->media.omega * at->media.omega * square);
    }
    return least;
}

// The size of E at a place of a face.
static double find_size(const site *at, const sedge_surface_field *e, const double *along,
                        int64_t face, const double shares[3])
{
    const port_section *const s = at->section;
    double vector[3], f = 0.0;

    sedge_surface_field_value(e, face, shares, vector);
    port_section_basis(s->order, shares, at->work, at->work + s->local);
    for (int k = 0; k < s->local; k++) f += at->work[k] * along[face * s->local + k];
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2] + f * f);
}

// The greatest E on the open part of the outline by that everywhere.
static double find_rim(const site *at, const sedge_surface_field *e, const double *along)
{
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const port_section *const s = at->section;
    double most = 0.0, rim = 0.0;

    for (int64_t f = 0; f < e->faces; f++) {
        for (int q = 0; q < s->points; q++)
            most = fmax(most, find_size(at, e, along, f, s->shares + (ptrdiff_t)3 * q));
        for (int k = 0; k < 3 * PLACES; k++) {
            double shares[3] = {0.0, 0.0, 0.0};

            if (!at->open[3 * f + k / PLACES]) continue;
            shares[ends[k / PLACES][0]] = (k % PLACES + 0.5) / PLACES;
            shares[ends[k / PLACES][1]] = 1.0 - shares[ends[k / PLACES][0]];
            rim = fmax(rim, find_size(at, e, along, f, shares));
        }
    }
    return rim / fmax(most, rim);
}

static void turn(sedge_surface_field *field)
{
    const int64_t count = 2 * field->faces * sedge_triangle_count(field->order);

    for (int64_t i = 0; i < count; i++) field->values[i / 2][i % 2] = -field->values[i / 2][i % 2];
}

// Have two fields with these means one shape in two directions, as both of a round fibre have? A
// mesh gives such two slightly different indices.
static bool is_turned(const double a[2], const double b[2])
{
    const double sizes[2] = {hypot(a[0], a[1]), hypot(b[0], b[1])};

    return fmin(sizes[0], sizes[1]) > fmax(PORT_CLEAR, 0.5 * fmax(sizes[0], sizes[1])) &&
           fabs(a[0] * b[0] + a[1] * b[1]) <= ACROSS * sizes[0] * sizes[1];
}

// Of several modes with one index take the sum whose mean E is along the first axis.
static sedge_status combine(port_hybrid_numbers *numbers, const site *at, port_hybrid *modes,
                            sedge_surface_field *e, sedge_surface_field *g, double *along)
{
    const double *const axis = at->section->axes[0];
    double parts[PORT_MOST_NEAR] = {0.0}, means[PORT_MOST_NEAR][2], square = 0.0;
    double mean = 0.0; // of beta^2
    int together = 0;

    for (int k = 0; k < modes->count; k++) {
        double alone[PORT_MOST_NEAR] = {0.0};

        alone[k] = 1.0;
        SEDGE_TRY(port_hybrid_fields(numbers, modes, alone, e, g, along));
        port_field_means(means[k], at->section, e);
    }
    for (int k = 0; k < modes->count; k++) {
        if (fabs(modes->squares[k] / modes->square - 1.0) > SAME &&
            !is_turned(means[k], means[modes->asked]))
            continue;
        parts[k] = means[k][0];
        square += parts[k] * parts[k];
        mean += parts[k] * parts[k] * modes->squares[k];
        together++;
    }
    if (together == 1) {
        parts[modes->asked] = 1.0;
        SEDGE_TRY(port_hybrid_fields(numbers, modes, parts, e, g, along));
        if (port_field_sign(at->section, e) < 0.0) {
            turn(e);
            turn(g);
        }
        return SEDGE_OK;
    }
    if (sqrt(square) > PORT_CLEAR) {
        modes->square = mean / square;
        return port_hybrid_fields(numbers, modes, parts, e, g, along);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: the mode is one of %d with the same index, and none of them has a mean "
                      "E along 'axis' (%.4g, %.4g, %.4g) by which it could be chosen: take another "
                      "mode or another axis",
                      at->where, together, axis[0], axis[1], axis[2]);
}

static sedge_status refuse(const site *at, int number, int guided, double least)
{
    const char *const unit = sedge_problem_unit(at->problem, SEDGE_FREQUENCY);
    const double shown = sedge_problem_shown(at->problem, SEDGE_FREQUENCY, frequency_of(at));

    char above[96] = "";

    if (least > 0.0) {
        (void)snprintf(above, sizeof above, ", with an index above %.6g of the port's outline",
                       sqrt(least) / at->media.omega);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: mode %d is not guided at %.6g%s: %d mode%s%s; take a lower mode or a "
                      "higher frequency",
                      at->where, number, shown, unit, guided, guided == 1 ? " is" : "s are", above);
}

static sedge_status fill(sedge_surface_field *field, double *p, const site *at)
{
    const double least = find_least(at);
    port_hybrid modes = {.count = 0};
    port_hybrid_numbers numbers = {0};
    double *along = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, port_hybrid_find(&modes, at->section, &at->media, least,
                                            (int)p[HYBRID_MODE], NEAR, at->where));
    if (modes.count == 0) {
        status = refuse(at, (int)p[HYBRID_MODE], modes.guided, least);
        goto done;
    }
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&along, field->faces * at->section->local, sizeof *along));
    SEDGE_TRY_GOTO(status, combine(&numbers, at, &modes, field->other, field, along));
    p[PORT_LINE] = numbers.impedance;
    p[PORT_INDEX] = numbers.index;
    p[HYBRID_GROUP] = numbers.group;
    p[HYBRID_SLOPE] = numbers.slope;
    p[HYBRID_INSIDE] = numbers.inside;
    p[HYBRID_GUIDED] = modes.guided;
    p[HYBRID_RIM] = find_rim(at, field->other, along);
    p[PORT_GAIN] = 2.0 / numbers.impedance; // half of the current goes either way
    if (p[HYBRID_RIM] <= REACHES) goto done;
    status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                        "%s: at the port's outline, where it is on no wall, the mode's E is %.2g "
                        "of its greatest, and should be next to nothing, %g at most: let the port "
                        "be larger, or take another mode, or a higher frequency",
                        at->where, p[HYBRID_RIM], REACHES);
done:
    sedge_release(along);
    port_hybrid_clear(&modes);
    return status;
}

sedge_status port_hybrid_field_fill(sedge_surface_field *field, double *p,
                                    const port_section *section,
                                    const struct sedge_problem *problem,
                                    const sedge_surface_shape *shape, const shape_edge *magnetic,
                                    int64_t count, const char *where)
{
    site at = {.section = section,
               .problem = problem,
               .media = {.omega = 2.0 * PORT_PI * p[HYBRID_FREQUENCY]},
               .where = where};
    sedge_status status = create(&at, shape, magnetic, count);

    if (status == SEDGE_OK) status = fill(field, p, &at);
    clear(&at);
    return status;
}
