#include "radiation.h"

#include "base/memory.h"
#include "closed_surface.h"
#include "scattering/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI   3.14159265358979323846
#define FLAT 1e-6 // of a size: what a plane may be off, by the digits of mesh files

// ---- the surface -------------------------------------------------------------------------------

// The box around the surface. Collective.
static void find_bounds(double bounds[2][3], const sedge_comm *comm, const sedge_face_points *faces)
{
    for (int d = 0; d < 3; d++) {
        bounds[0][d] = HUGE_VAL;
        bounds[1][d] = -HUGE_VAL;
        for (int32_t s = 0; s < faces->sides; s++) {
            for (int v = 0; v < 3; v++) {
                bounds[0][d] = fmin(bounds[0][d], faces->corners[s][3 * v + d]);
                bounds[1][d] = fmax(bounds[1][d], faces->corners[s][3 * v + d]);
            }
        }
    }
    sedge_comm_min(comm, bounds[0], 3);
    sedge_comm_max(comm, bounds[1], 3);
}

// Is the surface inside of another one, through which incident fields enter? By their boxes.
static bool has_total_fields(const sedge_radiation *r, const sedge_output_context *context,
                             double bounds[2][3])
{
    const sedge_mesh *const mesh = context->mesh;
    bool found = false;

    for (int s = 0; s < mesh->groups.surfaces; s++) {
        const sedge_boundary_kind *const kind = context->problem->boundaries[s].kind;
        const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(mesh, s);
        bool inside = true;

        if (kind == NULL || kind->feed == NULL || enclosed == NULL) continue;
        if (strcmp(mesh->groups.surface_names[s], r->deck->surface.name) == 0) return false;
        for (int d = 0; d < 3; d++) {
            inside = inside && bounds[0][d] >= enclosed->bounds[0][d] &&
                     bounds[1][d] <= enclosed->bounds[1][d];
        }
        found = found || inside;
    }
    return found;
}

// Is the place outside of the box, by more than the digits of mesh files? A source may lie in a
// plane of symmetry on which the surface ends.
static bool is_beyond(double bounds[2][3], const double place[3])
{
    double size = 0.0;
    bool beyond = false;

    for (int d = 0; d < 3; d++) size = fmax(size, bounds[1][d] - bounds[0][d]);
    for (int d = 0; d < 3; d++) {
        beyond = beyond || place[d] < bounds[0][d] - FLAT * size ||
                 place[d] > bounds[1][d] + FLAT * size;
    }
    return beyond;
}

static sedge_status check_point_sources(const char *name, const sedge_output_context *context,
                                        double bounds[2][3], const char *where)
{
    const sedge_problem *const problem = context->problem;

    for (int i = 0; i < problem->point_source_count; i++) {
        const double *const place = problem->point_sources[i].position;

        if (!is_beyond(bounds, place)) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the source '%s' at (%g, %g, %g) is outside of the surface '%s', "
                          "which must enclose all that radiates",
                          where, problem->point_sources[i].kind->name, place[0], place[1], place[2],
                          name);
    }
    return SEDGE_OK;
}

enum {
    OUTSIDE,
    LAYER,
    LOSSY,
    EPSILON,
    MINUS_EPSILON,
    MU,
    MINUS_MU,
    GROUP, // volume groups
    MINUS_GROUP,
    NUMBERS
};

// What to do where a substrate crosses the surface.
#define REMEDY                                                                                     \
    "let media, such as a substrate and its feed, end inside of the surface; there a lumped-port " \
    "between the conductors feeds a microstrip at the edge of its substrate, and a coaxial-port "  \
    "or a lumped-port a probe: nothing is needed behind these"

static sedge_status add_medium(double most[NUMBERS], const sedge_output_context *context, int group,
                               const char *where)
{
    double complex epsilon, mu;

    if (sedge_medium_is_dispersive(context, group)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: outside of the surface must be one material without terms, and "
                          "'%s' has some",
                          where, context->mesh->groups.volume_names[group]);
    }
    SEDGE_TRY(sedge_medium_find(&epsilon, &mu, context, group, 1.0, where));
    if (cimag(epsilon) < 0.0 || cimag(epsilon) > 0.0) most[LOSSY] = 1.0;
    most[EPSILON] = fmax(most[EPSILON], creal(epsilon));
    most[MINUS_EPSILON] = fmax(most[MINUS_EPSILON], -creal(epsilon));
    most[MU] = fmax(most[MU], creal(mu));
    most[MINUS_MU] = fmax(most[MINUS_MU], -creal(mu));
    most[GROUP] = fmax(most[GROUP], group);
    most[MINUS_GROUP] = fmax(most[MINUS_GROUP], -group);
    return SEDGE_OK;
}

// The media of this rank's elements beyond the box around the surface, except those in layers.
static sedge_status add_beyond(double most[NUMBERS], const sedge_output_context *context,
                               double bounds[2][3], const char *where)
{
    const sedge_mesh *const mesh = context->mesh;
    int added = -1; // group: neighbours have mostly the same one

    for (int32_t e = 0; e < mesh->elements; e++) {
        double(*const corners)[3] = mesh->corners[e];
        double middle[3];

        if (mesh->group[e] == added) continue;

        for (int d = 0; d < 3; d++)
            middle[d] = 0.25 * (corners[0][d] + corners[1][d] + corners[2][d] + corners[3][d]);
        if (!is_beyond(bounds, middle) || sedge_mesh_in_layer(mesh, e)) continue;
        added = mesh->group[e];
        SEDGE_TRY(add_medium(most, context, added, where));
    }
    return SEDGE_OK;
}

static sedge_status refuse_media(const sedge_radiation *r, const sedge_output_context *context,
                                 const double most[NUMBERS], const char *where)
{
    const int first = (int)-most[MINUS_GROUP];
    const int last = (int)most[GROUP];
    char(*const names)[64] = context->mesh->groups.volume_names;

    if (first == last) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: outside of the surface '%s' must be one material without losses, "
                          "and '%s' has losses",
                          where, r->deck->surface.name, names[first]);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: outside of the surface '%s' must be one material without losses; there "
                      "are '%s' and '%s', with epsilon %g to %g, mu %g to %g%s: " REMEDY,
                      where, r->deck->surface.name, names[first], names[last], -most[MINUS_EPSILON],
                      most[EPSILON], -most[MINUS_MU], most[MU],
                      most[LOSSY] > 0.0 ? ", and losses" : "");
}

// The medium outside; where the mesh ends at the surface, that inside. It is one, without losses.
static sedge_status find_medium(sedge_radiation *r, const sedge_output_context *context,
                                const sedge_face_points *faces, double bounds[2][3],
                                const char *where)
{
    double most[NUMBERS] = {0.0};
    int added = -1; // group

    for (int i = EPSILON; i < NUMBERS; i++) most[i] = -HUGE_VAL;
    for (int32_t s = 0; s < faces->sides; s++)
        if (sedge_closed_surface_is_outside(context, faces, s)) most[OUTSIDE] = 1.0;
    sedge_comm_max(context->comm, most, 1);
    sedge_status status = add_beyond(most, context, bounds, where);
    for (int32_t s = 0; s < faces->sides && status == SEDGE_OK; s++) {
        const int group = context->mesh->group[faces->elements[(int64_t)s * faces->side_points]];

        if (context->mesh->groups.volume_axes[group] != 0) most[LAYER] = 1.0;
        if (most[OUTSIDE] > 0.0 && !sedge_closed_surface_is_outside(context, faces, s)) continue;
        if (group == added) continue;
        added = group;
        status = add_medium(most, context, group, where);
    }
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    sedge_comm_max(context->comm, most, NUMBERS);
    r->medium = (sedge_far_medium){most[EPSILON], most[MU]};
    if (most[LAYER] > 0.0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the surface '%s' has faces in absorbing layers, where fields are no "
                          "solution: it must lie inside of them",
                          where, r->deck->surface.name);
    }
    if (most[EPSILON] + most[MINUS_EPSILON] > 0.0 || most[MU] + most[MINUS_MU] > 0.0 ||
        most[LOSSY] > 0.0) {
        return refuse_media(r, context, most, where);
    }
    return SEDGE_OK;
}

// ---- making ------------------------------------------------------------------------------------

static void set_directions(const sedge_radiation *r)
{
    const sedge_deck_far_field *const deck = r->deck;

    for (int64_t d = 0; d < r->directions; d++) {
        const int64_t row = d / deck->phi.count;
        const int64_t column = d % deck->phi.count;

        r->direction[d][0] = deck->theta.from + deck->theta.step * (double)row;
        r->direction[d][1] = deck->phi.from + deck->phi.step * (double)column;
    }
    for (int i = 0; i < 2 && r->incident; i++) { // back, forward
        const double *const k = r->wave;
        const double sign = i == 0 ? -1.0 : 1.0;
        r->direction[r->directions + i][0] = atan2(hypot(k[0], k[1]), sign * k[2]);
        r->direction[r->directions + i][1] = atan2(sign * k[1], sign * k[0]);
    }
}

static sedge_status allocate(sedge_radiation *r, bool exact)
{
    const int64_t all = r->directions + 2;
    const int64_t frequencies = r->frequencies;

    SEDGE_TRY(sedge_allocate(&r->direction, all, sizeof *r->direction));
    SEDGE_TRY(sedge_allocate(&r->far, frequencies * all, sizeof *r->far));
    SEDGE_TRY(sedge_allocate(&r->flux, frequencies, sizeof *r->flux));
    SEDGE_TRY(sedge_allocate(&r->power, frequencies, sizeof *r->power));
    SEDGE_TRY(sedge_allocate(&r->input, frequencies, sizeof *r->input));
    SEDGE_TRY(sedge_allocate(&r->incoming, frequencies, sizeof *r->incoming));
    SEDGE_TRY(sedge_allocate(&r->field, frequencies, sizeof *r->field));
    SEDGE_TRY(sedge_allocate(&r->square, frequencies, sizeof *r->square));
    if (!exact) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&r->exact, frequencies * all, sizeof *r->exact));
    return sedge_allocate(&r->section, frequencies, sizeof *r->section);
}

// Does the wall lie in the image's plane?
static bool is_image(const sedge_deck_image *image, const sedge_mesh_wall *wall,
                     const sedge_mesh *mesh)
{
    const int axis = image->axis;
    const double size = mesh->bounds[1][axis] - mesh->bounds[0][axis];
    const double along = 0.5 * (wall->normals[0][axis] + wall->normals[1][axis]);

    return fabs(wall->place[axis] - image->position) <= FLAT * size && fabs(along) > 0.999;
}

// Where a surface of mesh.surfaces ends on a pec or pmc wall of the mesh, an image in that plane is
// of the same type. In place of a wall of another type, such as a lossy ground, either may stand.
static sedge_status check_images(const sedge_output_context *context,
                                 const sedge_deck_far_field *deck,
                                 const sedge_mesh_enclosed *enclosed, const char *where)
{
    for (int k = 0; k < enclosed->walls * deck->image_count; k++) {
        const sedge_mesh_wall *const wall = &enclosed->wall[k % enclosed->walls];
        const sedge_deck_image *const image = &deck->images[k / enclosed->walls];
        const char *const type = image->magnetic ? "pmc" : "pec";
        const char *const other = image->magnetic ? "pec" : "pmc";
        const sedge_boundary_kind *const kind =
            wall->periodic ? NULL : context->problem->boundaries[wall->surface].kind;
        if (kind == NULL || strcmp(kind->name, other) != 0 || !is_image(image, wall, context->mesh))
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s.images.%c: the plane is '%s', and the surface '%s' of the mesh, on "
                          "which '%s' ends there, is '%s': give both the same type",
                          where, "xyz"[image->axis], type,
                          context -> mesh -> groups.surface_names[wall->surface],
                          deck->surface.name, other);
    }
    return SEDGE_OK;
}

sedge_status sedge_radiation_create(sedge_radiation *out, const sedge_output_context *context,
                                    const sedge_deck_far_field *deck, sedge_face_points *faces)
{
    sedge_incident_wave wave;
    double bounds[2][3];
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    sedge_deck_origin(origin, context->deck, "monitors.far-field", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.far-field.%s", origin, deck->name);
    *out = (sedge_radiation){.deck = deck,
                             .surface = {.points = (int64_t)faces->sides * faces->side_points},
                             .frequencies = deck->frequencies.count,
                             .directions = (int64_t)deck->theta.count * deck->phi.count};
    out->incident = sedge_incident_find(&wave, context, 0.0, NULL);
    for (int i = 0; i < 3 && out->incident; i++) {
        const double *const k = wave.direction;
        out->wave[i] = k[i] / sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    }
    out->antenna = context->problem->incident_count == 0;
    SEDGE_TRY(sedge_comm_agree(context->comm, allocate(out, context->deck->exact.layers > 0)));
    SEDGE_TRY(sedge_exact_check(context));
    for (int s = 0; s < context->mesh->groups.surfaces; s++) {
        const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(context->mesh, s);
        if (enclosed != NULL &&
            strcmp(context->mesh->groups.surface_names[s], deck->surface.name) == 0)
            SEDGE_TRY(check_images(context, deck, enclosed, where));
    }
    set_directions(out);
    SEDGE_TRY(sedge_closed_surface_create(&out->surface, &out->weight, context, deck,
                                          deck->surface.name, faces, where));
    find_bounds(bounds, context->comm, faces);
    out->total = has_total_fields(out, context, bounds);
    SEDGE_TRY(check_point_sources(deck->surface.name, context, bounds, where));
    return find_medium(out, context, faces, bounds, where);
}

void sedge_radiation_clear(const sedge_radiation *radiation)
{
    sedge_release(radiation->weight);
    sedge_release(radiation->direction);
    sedge_release(radiation->far);
    sedge_release(radiation->flux);
    sedge_release(radiation->power);
    sedge_release(radiation->input);
    sedge_release(radiation->incoming);
    sedge_release(radiation->field);
    sedge_release(radiation->square);
    sedge_release(radiation->exact);
    sedge_release(radiation->section);
}

// ---- finding -----------------------------------------------------------------------------------

static double find_wavenumber(const sedge_radiation *r, int f)
{
    return 2.0 * PI * r->deck->frequencies.value[f] * sqrt(r->medium.epsilon * r->medium.mu);
}

// The incident field at the centre, by the transforms of the signals.
static void find_incident(const sedge_radiation *r, const sedge_output_context *context,
                          const sedge_spectrum *spectrum)
{
    double peak = 0.0;

    for (int f = 0; f < r->frequencies; f++) {
        double complex signal[SEDGE_MAX_INCIDENTS];
        sedge_incident_wave wave;
        double path = 0.0;

        sedge_incident_signals(signal, spectrum, f);
        (void)sedge_incident_find(&wave, context, find_wavenumber(r, f), signal);
        for (int i = 0; i < 3; i++) path += r->wave[i] * (r->deck->centre[i] - wave.origin[i]);
        const double complex phase =
            cexp((double complex)_Complex_I * -find_wavenumber(r, f) * path);
        r->square[f] = 0.0;
        for (int i = 0; i < 3; i++) {
            r->field[f][i] = phase * wave.polarisation[i];
            r->square[f] += creal(r->field[f][i] * conj(r->field[f][i]));
        }
        peak = fmax(peak, r->square[f]);
    }
    for (int f = 0; f < r->frequencies; f++) {
        if (!(sqrt(r->square[f]) >= context->deck->frequency_floor * sqrt(peak)))
            r->square[f] = (double)NAN;
    }
}

// Waves of one signal have the exact cross-sections also where that signal is weak.
static sedge_status find_exact(const sedge_radiation *r, const sedge_output_context *context,
                               const sedge_spectrum *spectrum)
{
    for (int f = 0; f < r->frequencies; f++) {
        double(*const exact)[2] = r->exact + f * (r->directions + 2);
        double complex signal[SEDGE_MAX_INCIDENTS];
        sedge_mie *mie = NULL;

        sedge_incident_signals(signal, spectrum, f);
        for (int64_t d = 0; d < r->directions + 2; d++) exact[d][0] = exact[d][1] = (double)NAN;
        r->section[f] = (sedge_mie_sections){NAN, NAN, NAN, NAN};
        if (!spectrum->normalised && isnan(r->square[f])) continue;
        SEDGE_TRY(sedge_exact_create(&mie, context, 2.0 * PI * r->deck->frequencies.value[f],
                                     spectrum->normalised ? NULL : signal));
        for (int64_t d = 0; d < r->directions + 2; d++)
            sedge_mie_find_rcs(mie, r->direction[d][0], r->direction[d][1], exact[d]);
        r->section[f] = sedge_mie_find_sections(mie);
        sedge_mie_free(mie);
    }
    return SEDGE_OK;
}

sedge_status sedge_radiation_check_input(const sedge_radiation *radiation,
                                         const sedge_output_context *context,
                                         const sedge_face_points *faces, const char *where)
{
    double bounds[2][3];

    if (!radiation->antenna) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: 'input' is the surface around the sources of an antenna, and the "
                          "deck has an incident wave: remove one of them",
                          where);
    }
    find_bounds(bounds, context->comm, faces);
    return check_point_sources(radiation->deck->input.name, context, bounds, where);
}

// The power of the waves that come to the port, whose signal is the deck's only one.
static void find_incoming(const sedge_radiation *r, const sedge_output_context *context,
                          const sedge_spectrum *spectrum)
{
    const double floor = context->deck->frequency_floor; // of fields
    double peak = 0.0;

    for (int f = 0; f < r->frequencies; f++) {
        double complex signal[SEDGE_MAX_INCIDENTS];

        sedge_incident_signals(signal, spectrum, f);
        r->incoming[f] = r->port->kind->incident(context->problem, r->port->parameters,
                                                 r->deck->frequencies.value[f]) *
                         creal(signal[0] * conj(signal[0]));
        peak = fmax(peak, r->incoming[f]); // of two numbers of which one is none, the other
    }
    for (int f = 0; f < r->frequencies; f++)
        if (!(r->incoming[f] >= floor * floor * peak)) r->incoming[f] = (double)NAN;
}

sedge_status sedge_radiation_find_input(sedge_radiation *radiation,
                                        const sedge_output_context *context,
                                        const sedge_spectrum *spectrum,
                                        const sedge_near_surface *surface)
{
    double complex(*E)[3] = NULL;
    double complex(*H)[3] = NULL;
    sedge_status status = sedge_allocate(&E, surface->points, sizeof *E);

    if (status == SEDGE_OK) status = sedge_allocate(&H, surface->points, sizeof *H);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(surface->comm, status));
    for (int f = 0; f < radiation->frequencies; f++) {
        sedge_closed_surface_fields(surface, spectrum, f, E, H);
        radiation->input[f] = sedge_near_surface_power(surface, (const double complex(*)[3])E,
                                                       (const double complex(*)[3])H);
    }
    radiation->fed = true;
    if (spectrum->signals != 1) radiation->port = NULL;
    if (radiation->port != NULL) find_incoming(radiation, context, spectrum);
done:
    sedge_release(E);
    sedge_release(H);
    return status;
}

sedge_status sedge_radiation_find(sedge_radiation *radiation, const sedge_output_context *context,
                                  const sedge_spectrum *spectrum)
{
    sedge_radiation *const r = radiation;
    const int64_t all = r->directions + (r->incident ? 2 : 0);
    double complex(*E)[3] = NULL;
    double complex(*H)[3] = NULL;
    sedge_status status = sedge_allocate(&E, r->surface.points, sizeof *E);

    if (status == SEDGE_OK) status = sedge_allocate(&H, r->surface.points, sizeof *H);
    if (r->incident) find_incident(r, context, spectrum);
    if (status == SEDGE_OK && r->exact != NULL) status = find_exact(r, context, spectrum);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int f = 0; f < r->frequencies; f++) {
        const double frequency = 2.0 * PI * r->deck->frequencies.value[f];
        const sedge_near_fields fields = {.frequencies = 1,
                                          .frequency = &frequency,
                                          .E = (const double complex(*)[3])E,
                                          .H = (const double complex(*)[3])H};

        sedge_closed_surface_fields(&r->surface, spectrum, f, E, H);
        SEDGE_TRY_GOTO(status,
                       sedge_far_field_find(&r->surface, &fields, &r->medium, r->deck->centre, all,
                                            (const double(*)[2])r->direction,
                                            r->far + f * (r->directions + 2)));
        r->flux[f] = sedge_near_surface_power(&r->surface, fields.E, fields.H);
        if (r->incident) continue;
        SEDGE_TRY_GOTO(status,
                       sedge_far_field_power(&r->surface, &fields, &r->medium, &r->power[f]));
    }
done:
    sedge_release(E);
    sedge_release(H);
    return status;
}

// ---- what follows from it
// ------------------------------------------------------------------------

static double find_impedance(const sedge_radiation *r)
{
    return sqrt(r->medium.mu / r->medium.epsilon);
}

void sedge_radiation_rcs(const sedge_radiation *radiation, int f, int64_t d, double rcs[2])
{
    sedge_pattern_rcs(radiation->far[f * (radiation->directions + 2) + d], radiation->square[f],
                      rcs);
}

double sedge_radiation_intensity(const sedge_radiation *radiation, int f, int64_t d)
{
    return sedge_pattern_intensity(radiation->far[f * (radiation->directions + 2) + d],
                                   find_impedance(radiation));
}

double sedge_radiation_directivity(const sedge_radiation *radiation, int f, int64_t d)
{
    return sedge_pattern_gain(radiation->far[f * (radiation->directions + 2) + d],
                              find_impedance(radiation), radiation->power[f]);
}

double sedge_radiation_efficiency(const sedge_radiation *radiation, int f)
{
    return radiation->power[f] / radiation->input[f];
}

double sedge_radiation_gain(const sedge_radiation *radiation, int f, int64_t d)
{
    return sedge_radiation_efficiency(radiation, f) * sedge_radiation_directivity(radiation, f, d);
}

double sedge_radiation_total_efficiency(const sedge_radiation *radiation, int f)
{
    return radiation->power[f] / radiation->incoming[f];
}

double sedge_radiation_realised_gain(const sedge_radiation *radiation, int f, int64_t d)
{
    return sedge_radiation_total_efficiency(radiation, f) *
           sedge_radiation_directivity(radiation, f, d);
}

double sedge_radiation_scattering(const sedge_radiation *radiation, int f)
{
    if (radiation->total) return (double)NAN;
    return 2.0 * find_impedance(radiation) * radiation->flux[f] / radiation->square[f];
}

// The optical theorem: -4 pi / k Im of the forward field along E, over E, both at the centre.
double sedge_radiation_extinction(const sedge_radiation *radiation, int f)
{
    const sedge_radiation *const r = radiation;
    const double *const angle = r->direction[r->directions + 1];
    const double complex *const far = r->far[f * (r->directions + 2) + r->directions + 1];
    const double theta[3] = {cos(angle[0]) * cos(angle[1]), cos(angle[0]) * sin(angle[1]),
                             -sin(angle[0])};
    const double phi[3] = {-sin(angle[1]), cos(angle[1]), 0.0};
    double complex product = 0.0;

    for (int i = 0; i < 3; i++)
        product += (theta[i] * far[0] + phi[i] * far[1]) * conj(r->field[f][i]);
    return -4.0 * PI / find_wavenumber(r, f) * cimag(product) / r->square[f];
}

sedge_status sedge_radiation_difference(const sedge_radiation *radiation, int f, double *decibel)
{
    const sedge_radiation *const r = radiation;
    double *values = NULL;

    SEDGE_TRY(sedge_allocate(&values, 2 * r->directions, sizeof *values));
    for (int64_t d = 0; d < r->directions; d++) {
        const double *const exact = r->exact[f * (r->directions + 2) + d];
        double rcs[2];

        sedge_radiation_rcs(r, f, d, rcs);
        values[d] = rcs[0] + rcs[1];
        values[r->directions + d] = exact[0] + exact[1];
    }
    *decibel = sedge_exact_difference(r->directions, values, values + r->directions);
    sedge_release(values);
    return SEDGE_OK;
}
