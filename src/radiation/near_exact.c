#include "near_exact.h"

#include "base/memory.h"
#include "incident.h"
#include "io/json.h"
#include "monitor/output_describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

#define SHOWN_LINES  8 // frequencies in the user's table
#define SHOWN_POINTS 6

struct sedge_near_exact {
    const sedge_output_context *context;
    const sedge_deck_spectrum *deck;
    double (*place)[3];         // [points]
    double *angle;              // [points] solid angle of the surfaces with incident fields
    double complex (*field)[6]; // [frequencies][points] E and H of a wave with signal 1
    double *error;              // [frequencies][points] relative; not-a-number: nothing incident
    sedge_slab_fields *slab;    // [frequencies]; NULL: a sphere
    double *power; // [frequencies][points] of a slab: reflectance before it, transmittance behind
};

// ---- making ------------------------------------------------------------------------------------

void sedge_near_exact_free(sedge_near_exact *near)
{
    if (near == NULL) return;
    sedge_release(near->place);
    sedge_release(near->angle);
    sedge_release(near->field);
    sedge_release(near->error);
    sedge_release(near->slab);
    sedge_release(near->power);
    sedge_release(near);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double find_triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The solid angle of a triangle seen from 0 (A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng.
// 30 (1983) 125), without its sign.
static double find_solid_angle(double corner[3][3])
{
    const double *const a = corner[0];
    const double *const b = corner[1];
    const double *const c = corner[2];
    const double length[3] = {sqrt(dot(a, a)), sqrt(dot(b, b)), sqrt(dot(c, c))};

    return 2.0 * atan2(fabs(find_triple(a, b, c)),
                       length[0] * length[1] * length[2] + dot(a, b) * length[2] +
                           dot(b, c) * length[0] + dot(c, a) * length[1]);
}

// Add the angle of a side's face to those of all points: positive where the point is on the
// element's side of the face.
static void add_face(const sedge_near_exact *near, const sedge_set_face *side)
{
    double(*const corners)[3] = near->context->mesh->corners[side->element];
    const int *const vertices = sedge_face_vertices[side->face];
    const double *const opposite = corners[6 - vertices[0] - vertices[1] - vertices[2]];

    for (int p = 0; p < near->deck->point_count; p++) {
        double from[3][3], inner[3], along[2][3];
        double of_point[3];

        for (int d = 0; d < 3; d++) {
            for (int i = 0; i < 3; i++) from[i][d] = corners[vertices[i]][d] - near->place[p][d];
            along[0][d] = from[1][d] - from[0][d];
            along[1][d] = from[2][d] - from[0][d];
            inner[d] = opposite[d] - corners[vertices[0]][d];
            of_point[d] = -from[0][d];
        }
        const bool same =
            find_triple(inner, along[0], along[1]) * find_triple(of_point, along[0], along[1]) >=
            0.0;
        near->angle[p] += (same ? 1.0 : -1.0) * find_solid_angle(from);
    }
}

// Where are the points? Collective.
static sedge_status find_angles(const sedge_near_exact *near)
{
    const sedge_output_context *const context = near->context;
    const sedge_mesh *const mesh = context->mesh;
    const int points = near->deck->point_count;

    for (int s = 0; s < mesh->groups.surfaces; s++) {
        const sedge_boundary_kind *const kind = context->problem->boundaries[s].kind;

        if (kind == NULL || kind->feed == NULL) continue;
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++)
            if (!mesh->set_faces[i].second) add_face(near, &mesh->set_faces[i]);
    }
    sedge_comm_sum(context->comm, near->angle, points);
    for (int p = 0; p < points; p++) {
        const double turns = near->angle[p] / (4.0 * PI);

        if (fabs(turns) < 1e-6 || fabs(turns - 1.0) < 1e-6) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: exact: the point '%s' of monitors.spectra.%s lies on a "
                          "total-field surface, or the surface is not closed: whether its fields "
                          "are total or scattered ones is not known",
                          context->deck->path, near->deck->line, near->deck->points[p].name,
                          near->deck->name);
    }
    return SEDGE_OK;
}

// Layers reach the walls of the mesh, and so does a surface with incident fields around them:
// points are inside if they are between its ends.
static void find_between(const sedge_near_exact *near, const double direction[3])
{
    const sedge_mesh *const mesh = near->context->mesh;
    int axis = 0;

    for (int i = 1; i < 3; i++)
        if (fabs(direction[i]) > fabs(direction[axis])) axis = i;
    for (int s = 0; s < mesh->groups.surfaces; s++) {
        const sedge_boundary_kind *const kind = near->context->problem->boundaries[s].kind;
        const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(mesh, s);

        if (kind == NULL || kind->feed == NULL || enclosed == NULL) continue;
        for (int p = 0; p < near->deck->point_count; p++) {
            const double x = near->place[p][axis];
            if (x > enclosed->bounds[0][axis] && x < enclosed->bounds[1][axis])
                near->angle[p] = 4.0 * PI;
        }
    }
}

static sedge_status allocate(sedge_near_exact **out, const sedge_deck_spectrum *deck, bool slab)
{
    const int64_t values = (int64_t)deck->frequencies.count * deck->point_count;

    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    sedge_near_exact *const near = *out;
    SEDGE_TRY(sedge_allocate(&near->place, deck->point_count, sizeof *near->place));
    SEDGE_TRY(sedge_allocate(&near->angle, deck->point_count, sizeof *near->angle));
    SEDGE_TRY(sedge_allocate(&near->field, values, sizeof *near->field));
    SEDGE_TRY(sedge_allocate(&near->error, values, sizeof *near->error));
    if (!slab) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&near->slab, deck->frequencies.count, sizeof *near->slab));
    return sedge_allocate(&near->power, values, sizeof *near->power);
}

sedge_status sedge_near_exact_create(sedge_near_exact **out, const sedge_output_context *context,
                                     const sedge_deck_spectrum *deck)
{
    sedge_near_exact *near = NULL;
    sedge_incident_wave wave;
    sedge_status status = allocate(&near, deck, context->deck->slab.layers > 0);

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    near->context = context;
    near->deck = deck;
    for (int p = 0; p < deck->point_count; p++)
        memcpy(near->place[p], deck->points[p].position, sizeof near->place[p]);
    SEDGE_TRY_GOTO(status, sedge_exact_check(context));
    if (near->slab == NULL) SEDGE_TRY_GOTO(status, find_angles(near));
    if (near->slab != NULL && sedge_incident_find(&wave, context, 0.0, NULL))
        find_between(near, wave.direction);
    *out = near;
    near = NULL;
done:
    sedge_near_exact_free(near);
    return status;
}

// ---- finding -----------------------------------------------------------------------------------

static bool is_total(const sedge_near_exact *near, int64_t point)
{
    return near->angle[point] > 2.0 * PI;
}

// The exact fields of layers at frequency f.
static sedge_status find_slab_fields(const sedge_near_exact *near, int f)
{
    sedge_slab_fields *const slab = &near->slab[f];

    SEDGE_TRY(sedge_exact_slab(slab, near->context, 2.0 * PI * near->deck->frequencies.value[f]));
    for (int p = 0; p < near->deck->point_count; p++) {
        double complex *const field = near->field[(ptrdiff_t)f * near->deck->point_count + p];
        double complex incident[6];

        sedge_slab_find_total(slab, near->place[p], field, field + 3);
        if (is_total(near, p)) continue;
        sedge_slab_find_incident(slab, near->place[p], incident, incident + 3);
        for (int c = 0; c < 6; c++) field[c] -= incident[c];
    }
    return SEDGE_OK;
}

// The exact fields at frequency f.
static sedge_status find_fields(const sedge_near_exact *near, int f)
{
    const double omega = 2.0 * PI * near->deck->frequencies.value[f];
    sedge_mie *mie = NULL;
    sedge_status status = SEDGE_OK;

    if (near->slab != NULL) return find_slab_fields(near, f);
    SEDGE_TRY(sedge_exact_create(&mie, near->context, omega, NULL));
    for (int p = 0; p < near->deck->point_count && status == SEDGE_OK; p++) {
        double complex E[1][3], H[1][3];
        double complex *const field = near->field[(ptrdiff_t)f * near->deck->point_count + p];

        status =
            sedge_mie_find_fields(mie, is_total(near, p) ? SEDGE_MIE_TOTAL : SEDGE_MIE_SCATTERED, 1,
                                  (const double(*)[3])near->place[p], E, H);
        memcpy(field, E, sizeof E);
        memcpy(field + 3, H, sizeof H);
    }
    sedge_mie_free(mie);
    return status;
}

static double complex get_incident(const sedge_spectrum *spectrum, int f)
{
    const double *const signal = spectrum->incident + (ptrdiff_t)2 * f;

    return signal[0] + (double complex)_Complex_I * signal[1];
}

// Component c of this rank's row at frequency f, for an incident wave of 1.
static double complex get_field(const sedge_near_exact *near, const sedge_spectrum *spectrum,
                                int64_t row, int c, int f)
{
    const double *const sum =
        spectrum->sums + 2 * ((row * spectrum->components + c) * near->deck->frequencies.count + f);

    return (sum[0] + (double complex)_Complex_I * sum[1]) / get_incident(spectrum, f);
}

// What layers reflect, of this rank's row before them, or let through, of one behind them: the
// power of the reflected or transmitted fields over that of the incident ones.
static double find_power(const sedge_near_exact *near, const sedge_spectrum *spectrum, int64_t row,
                         int64_t point, int f)
{
    const sedge_slab_fields *const slab = &near->slab[f];
    const double *const place = near->place[point];
    const int side = sedge_slab_side(slab, place);
    double complex incident[6];
    double square = 0.0;
    double unit = 0.0;

    sedge_slab_find_incident(slab, place, incident, incident + 3);
    for (int c = 0; c < spectrum->components; c++) {
        const double complex in = incident[spectrum->component[c]];
        double complex field = get_field(near, spectrum, row, c, f);

        if (side < 0 && is_total(near, point)) field -= in;
        if (side > 0 && !is_total(near, point)) field += in;
        square += creal(field * conj(field));
        unit += creal(in * conj(in));
    }
    return side == 0 ? (double)NAN : square / unit;
}

// The error of this rank's row at frequency f, relative to the exact field.
static double find_error(const sedge_near_exact *near, const sedge_spectrum *spectrum, int64_t row,
                         int64_t point, int f)
{
    double difference = 0.0;
    double square = 0.0;

    for (int c = 0; c < spectrum->components; c++) {
        const double complex exact =
            near->field[f * (int64_t)near->deck->point_count + point][spectrum->component[c]];
        const double complex error = get_field(near, spectrum, row, c, f) - exact;

        difference += creal(error * conj(error));
        square += creal(exact * conj(exact));
    }
    return sqrt(difference / square);
}

sedge_status sedge_near_exact_find(sedge_near_exact *near, const sedge_spectrum *spectrum,
                                   const int64_t *ids)
{
    const sedge_comm *const comm = near->context->comm;
    const int frequencies = near->deck->frequencies.count;
    const int points = near->deck->point_count;
    sedge_status status = SEDGE_OK;
    double peak = 0.0;

    for (int f = 0; f < frequencies && status == SEDGE_OK; f++) status = find_fields(near, f);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int f = 0; f < frequencies; f++) peak = fmax(peak, cabs(get_incident(spectrum, f)));
    for (int f = 0; f < frequencies; f++) {
        double *const error = near->error + (ptrdiff_t)f * points;

        for (int p = 0; p < points; p++) error[p] = 0.0;
        for (int64_t r = 0; r < spectrum->rows; r++)
            error[ids[r]] = find_error(near, spectrum, r, ids[r], f);
        sedge_comm_sum(comm, error, points);
        if (near->slab != NULL) {
            double *const power = near->power + (ptrdiff_t)f * points;

            for (int p = 0; p < points; p++) power[p] = 0.0;
            for (int64_t r = 0; r < spectrum->rows; r++)
                power[ids[r]] = find_power(near, spectrum, r, ids[r], f);
            sedge_comm_sum(comm, power, points);
        }
        if (cabs(get_incident(spectrum, f)) >= near->context->deck->frequency_floor * peak)
            continue;
        for (int p = 0; p < points; p++) error[p] = (double)NAN;
        for (int p = 0; p < points && near->slab != NULL; p++)
            near->power[(ptrdiff_t)f * points + p] = (double)NAN;
    }
    return SEDGE_OK;
}

// ---- output ------------------------------------------------------------------------------------

// Root: E or H, in the unit of the deck's field over that of its signal, as E_normalised.
static sedge_status write_group(const sedge_near_exact *near, const sedge_output_group *group,
                                double signal_unit, sedge_h5 *file, const char *folder)
{
    const int64_t shape[3] = {near->deck->frequencies.count, near->deck->point_count, 3};
    const double factor = sedge_output_group_factor(near->context, group) / signal_unit;
    double complex(*values)[3] = NULL;
    char path[256];
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&values, shape[0] * shape[1], sizeof *values));
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        for (int c = 0; c < 3; c++) values[i][c] = factor * near->field[i][group->first + c];
    (void)snprintf(path, sizeof path, "%s/exact/%s_normalised", folder, group->name);
    status = sedge_h5_put(file, path, SEDGE_H5_COMPLEX, 3, shape, values);
    sedge_release(values);
    return status;
}

// Root: what layers reflect and let through, exactly and at the points.
static sedge_status write_powers(const sedge_near_exact *near, sedge_h5 *file, const char *folder)
{
    const int64_t shape[2] = {near->deck->frequencies.count, near->deck->point_count};
    double *values = NULL;
    char path[256];
    sedge_status status = sedge_allocate(&values, shape[0], sizeof *values);

    for (int i = 0; i < 2 && status == SEDGE_OK; i++) {
        for (int64_t f = 0; f < shape[0]; f++)
            values[f] = i == 0 ? near->slab[f].reflectance : near->slab[f].transmittance;
        (void)snprintf(path, sizeof path, "%s/exact/%s", folder,
                       i == 0 ? "reflectance" : "transmittance");
        status = sedge_h5_put(file, path, SEDGE_H5_F64, 1, shape, values);
    }
    sedge_release(values);
    SEDGE_TRY(status);
    (void)snprintf(path, sizeof path, "%s/exact/power", folder);
    return sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, near->power);
}

sedge_status sedge_near_exact_write(const sedge_near_exact *near, double signal_unit,
                                    sedge_h5 *file, const char *folder)
{
    const sedge_equation *const equation = near->context->problem->equation;
    const int64_t shape[2] = {near->deck->frequencies.count, near->deck->point_count};
    char path[256];

    (void)snprintf(path, sizeof path, "%s/exact", folder);
    SEDGE_TRY(sedge_h5_group(file, path));
    for (int g = 0; g < equation->group_count; g++) {
        if (!near->deck->requested[g]) continue;
        SEDGE_TRY(write_group(near, &equation->groups[g], signal_unit, file, folder));
    }
    if (near->slab != NULL) SEDGE_TRY(write_powers(near, file, folder));
    (void)snprintf(path, sizeof path, "%s/exact/error", folder);
    return sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, near->error);
}

// Which of the frequencies line i of a table shows.
static int shown_frequency(const sedge_near_exact *near, int i, int lines)
{
    return lines > 1 ? (int)((int64_t)i * (near->deck->frequencies.count - 1) / (lines - 1)) : 0;
}

static double show_frequency(const sedge_near_exact *near, int f)
{
    return sedge_deck_frequency(near->context->deck, near->deck->frequencies.value[f]);
}

static int shown_lines(const sedge_near_exact *near)
{
    const int frequencies = near->deck->frequencies.count;

    return frequencies < SHOWN_LINES ? frequencies : SHOWN_LINES;
}

static sedge_status add_table(const sedge_near_exact *near, sedge_text *text)
{
    const int lines = shown_lines(near);
    const int points =
        near->deck->point_count < SHOWN_POINTS ? near->deck->point_count : SHOWN_POINTS;

    SEDGE_TRY(sedge_text_add(text,
                             "  %-22s difference of the fields from the exact ones in %%\n"
                             "    %12s",
                             near->deck->name, "frequency"));
    for (int p = 0; p < points; p++)
        SEDGE_TRY(sedge_text_add(text, " %12.12s", near->deck->points[p].name));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(near, i, lines);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g", show_frequency(near, f)));
        for (int p = 0; p < points; p++) {
            SEDGE_TRY(sedge_text_add(
                text, " %12.3g", 100.0 * near->error[f * (int64_t)near->deck->point_count + p]));
        }
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    return SEDGE_OK;
}

// One line of a slab's table; the heading where f is below 0.
static sedge_status add_powers(const sedge_near_exact *near, int f, sedge_text *text)
{
    int points = 0;

    for (int side = -1; side <= 1; side += 2) {
        if (f < 0) {
            SEDGE_TRY(sedge_text_add(text, " %12s", side < 0 ? "R exact" : "T exact"));
        } else {
            SEDGE_TRY(
                sedge_text_add(text, " %12.6f",
                               side < 0 ? near->slab[f].reflectance : near->slab[f].transmittance));
        }
        for (int p = 0; p < near->deck->point_count && points < SHOWN_POINTS; p++) {
            if (sedge_slab_side(near->slab, near->place[p]) != side) continue;
            points++;
            if (f < 0) {
                SEDGE_TRY(sedge_text_add(text, " %12.12s", near->deck->points[p].name));
            } else {
                SEDGE_TRY(sedge_text_add(text, " %12.6f",
                                         near->power[f * (int64_t)near->deck->point_count + p]));
            }
        }
    }
    return sedge_text_add(text, "\n");
}

static sedge_status add_slab_table(const sedge_near_exact *near, sedge_text *text)
{
    const int lines = shown_lines(near);

    SEDGE_TRY(sedge_text_add(text,
                             "  %-22s power that the slab reflects (R) and lets through (T), of 1; "
                             "at the points that of the run\n    %12s",
                             near->deck->name, "frequency"));
    SEDGE_TRY(add_powers(near, -1, text));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(near, i, lines);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g", show_frequency(near, f)));
        SEDGE_TRY(add_powers(near, f, text));
    }
    return SEDGE_OK;
}

// {point: [values]} of [frequencies][points].
static json_t *list_points(const sedge_near_exact *near, const double *values)
{
    json_t *const object = json_object();

    for (int p = 0; p < near->deck->point_count; p++) {
        json_t *const list = json_array();

        (void)json_object_set_new(object, near->deck->points[p].name, list);
        for (int f = 0; f < near->deck->frequencies.count; f++) {
            (void)json_array_append_new(
                list, sedge_json_number(values[f * (int64_t)near->deck->point_count + p]));
        }
    }
    return object;
}

sedge_status sedge_near_exact_report(const sedge_near_exact *near, sedge_text *text, json_t *json)
{
    json_t *const entry = json_object();
    json_t *const frequency = json_array();

    (void)json_object_set_new(json, near->deck->name, entry);
    (void)json_object_set_new(entry, "frequency", frequency);
    (void)json_object_set_new(entry, "error", list_points(near, near->error));
    for (int f = 0; f < near->deck->frequencies.count; f++) {
        (void)json_array_append_new(frequency, sedge_json_number(show_frequency(near, f)));
    }
    SEDGE_TRY(add_table(near, text));
    if (near->slab == NULL) return SEDGE_OK;
    json_t *const exact[2] = {json_array(), json_array()};
    for (int f = 0; f < near->deck->frequencies.count; f++) {
        (void)json_array_append_new(exact[0], sedge_json_number(near->slab[f].reflectance));
        (void)json_array_append_new(exact[1], sedge_json_number(near->slab[f].transmittance));
    }
    (void)json_object_set_new(entry, "reflectance", exact[0]);
    (void)json_object_set_new(entry, "transmittance", exact[1]);
    (void)json_object_set_new(entry, "power", list_points(near, near->power));
    return add_slab_table(near, text);
}
