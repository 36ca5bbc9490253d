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

#define STEP    1e-4 // of the frequency, of differences
#define PLACES  8    // of an edge of the outline, at which the field is looked at
#define REACHES 0.1  // the outline: of the field's greatest value
#define SAME    2e-5 // by which beta^2 of modes that count as one differ
#define NEAR    6e-4 // and those of the two directions of a mode, of which meshes make two
#define ACROSS  0.2  // cosine between the directions of such two

// ---- media -------------------------------------------------------------------------------------

// epsilon and mu.
static bool find_response(double complex out[2], const sedge_problem *problem, int volume,
                          double omega)
{
    double complex factors[SEDGE_MAX_FIELDS];
    bool same = true;

    if (!sedge_response_find(factors, problem, volume, omega)) return false;
    for (int i = 0; i < 6; i++) {
        const double complex first = factors[i < 3 ? 0 : 3];
        same = same && cabs(factors[i] - first) <= 1e-9 * cabs(first);
    }
    out[0] = factors[0] / problem->materials[volume][MAXWELL_INVERSE_EPSILON];
    out[1] = factors[3] / problem->materials[volume][MAXWELL_INVERSE_MU];
    return same;
}

bool port_medium_find(double out[PORT_MEDIUM], double *loss, const sedge_problem *problem,
                      int volume, double omega)
{
    double complex at[2], low[2], high[2];

    *loss = 0.0;
    if (!find_response(at, problem, volume, omega) ||
        !find_response(low, problem, volume, (1.0 - STEP) * omega) ||
        !find_response(high, problem, volume, (1.0 + STEP) * omega))
        return false;
    for (int k = 0; k < 2; k++) {
        out[PORT_EPSILON + k] = creal(at[k]);
        out[PORT_EPSILON_GROUP + k] =
            creal((1.0 + STEP) * high[k] - (1.0 - STEP) * low[k]) / (2.0 * STEP);
        *loss = fmax(*loss, fabs(cimag(at[k]) / creal(at[k])));
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
        (void)port_medium_find(at->media.face[f], &loss, at->problem, shape->volumes[i][0],
                               at->media.omega);
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
        const double *const m = at->media.face[i / 3];
        least = fmax(least, at->media.omega * at->media.omega * m[PORT_EPSILON] * m[PORT_MU]);
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
