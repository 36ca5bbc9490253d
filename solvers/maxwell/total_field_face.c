// A surface through which plane waves enter: total fields inside, scattered fields outside. It lies
// in one medium or crosses the plane between two half-spaces.
#include "maxwell.h"

#include "total_field_face.h"

#include <math.h>
#include <string.h>

extern const char sedge_text_total_field_face_h[];

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double speed_in(const double *m)
{
    return sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
}

// The wave of a source with the parameters p as it is in the material m, without another.
static void set_wave(double *wave, const double *p, const double *m, int medium)
{
    const double *const k = p + WAVE_DIRECTION;
    const double *const e = p + WAVE_POLARISATION;
    const double length = sqrt(dot(k, k));

    cross(k, e, wave + TOTAL_FIELD_H);
    for (int i = 0; i < 3; i++) {
        wave[TOTAL_FIELD_SLOWNESS + i] = k[i] / (length * speed_in(m));
        wave[TOTAL_FIELD_ORIGIN + i] = p[WAVE_ORIGIN + i];
        wave[TOTAL_FIELD_E + i] = e[i];
        wave[TOTAL_FIELD_H + i] = m[MAXWELL_Y] * wave[TOTAL_FIELD_H + i] / length;
    }
    wave[TOTAL_FIELD_MEDIUM] = medium;
    memcpy(wave + TOTAL_FIELD_SIGNAL, p + WAVE_SIGNAL, SEDGE_SIGNAL_VALUES * sizeof *wave);
}

// ---- half-spaces -------------------------------------------------------------------------------

// A wave in the material m with this slowness, with the tangential field E = e along `across`,
// which is perpendicular to the plane of incidence, and H = h along it; at the plane's point x it
// has the phase that `from` has there.
static void set_part(double *wave, const double *from, const double *m, int medium,
                     const double slowness[3], const double across[3], double e, double h,
                     const double x[3])
{
    double k[3], along[3], behind = 0.0;

    for (int i = 0; i < 3; i++) {
        k[i] = slowness[i] * speed_in(m);
        behind += from[TOTAL_FIELD_SLOWNESS + i] * (x[i] - from[TOTAL_FIELD_ORIGIN + i]);
    }
    cross(k, across, along);
    for (int i = 0; i < 3; i++) {
        wave[TOTAL_FIELD_SLOWNESS + i] = slowness[i];
        wave[TOTAL_FIELD_ORIGIN + i] = x[i] - behind * slowness[i] / dot(slowness, slowness);
        wave[TOTAL_FIELD_E + i] = e * across[i] - m[MAXWELL_Z] * h * along[i];
        wave[TOTAL_FIELD_H + i] = h * across[i] + m[MAXWELL_Y] * e * along[i];
    }
    wave[TOTAL_FIELD_MEDIUM] = medium;
    memcpy(wave + TOTAL_FIELD_SIGNAL, from + TOTAL_FIELD_SIGNAL,
           SEDGE_SIGNAL_VALUES * sizeof *wave);
}

// Perpendicular to the plane of incidence; any direction in the plane at normal incidence.
static void find_across(double out[3], const double k[3], int axis)
{
    double normal[3] = {0.0, 0.0, 0.0};

    normal[axis] = 1.0;
    cross(normal, k, out);
    double length = sqrt(dot(out, out));
    if (length < 1e-9 * sqrt(dot(k, k))) {
        for (int i = 0; i < 3; i++) out[i] = i == (axis + 1) % 3 ? 1.0 : 0.0;
        length = 1.0;
    }
    for (int i = 0; i < 3; i++) out[i] /= length;
}

// The wave, what the plane reflects of it, and what goes through: waves [3]. By Fresnel's
// coefficients of the tangential E across the plane of incidence, and of H.
static sedge_status set_half_spaces(double *waves, const double *p,
                                    const sedge_background *background, int number)
{
    const int axis = background->axis;
    const double into = p[WAVE_DIRECTION + axis];
    const int medium = into > 0.0 ? 0 : 1; // that the wave comes from
    const double *const m = background->m[medium];
    const double *const mt = background->m[1 - medium];
    double slowness[3], across[3], x[3] = {0.0, 0.0, 0.0};

    set_wave(waves, p, m, medium);
    memcpy(slowness, waves + TOTAL_FIELD_SLOWNESS, sizeof slowness);
    const double normal = fabs(slowness[axis]);
    const double behind = 1.0 / (mt[MAXWELL_INVERSE_EPSILON] * mt[MAXWELL_INVERSE_MU]) -
                          (dot(slowness, slowness) - normal * normal);
    if (normal * speed_in(m) < 1e-6 || behind * speed_in(mt) * speed_in(mt) < 1e-6) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "the plane wave %d meets the plane %c = %.6g between the materials beside "
            "the total-field surface at %.4g degrees from its normal, %s; choose a "
            "steeper direction",
            number, "xyz"[axis], background -> place,
            acos(fmin(1.0, normal * speed_in(m))) * 180.0 / 3.14159265358979323846,
            normal * speed_in(m) < 1e-6
                ? "along it"
                : "where all of it is reflected: the field behind the plane is no "
                  "plane wave with a delay");
    }
    const double normal_behind = sqrt(behind);
    find_across(across, slowness, axis);
    x[axis] = background->place;
    const double e = dot(waves + TOTAL_FIELD_E, across);
    const double h = dot(waves + TOTAL_FIELD_H, across);
    // Admittances and impedances of the tangential fields, both by the slowness along the normal.
    const double y[2] = {m[MAXWELL_INVERSE_MU] * normal, mt[MAXWELL_INVERSE_MU] * normal_behind};
    const double z[2] = {m[MAXWELL_INVERSE_EPSILON] * normal,
                         mt[MAXWELL_INVERSE_EPSILON] * normal_behind};
    const double of_e = (y[0] - y[1]) / (y[0] + y[1]);
    const double of_h = (z[0] - z[1]) / (z[0] + z[1]);
    slowness[axis] = -slowness[axis];
    set_part(waves + TOTAL_FIELD_VALUES, waves, m, medium, slowness, across, of_e * e, of_h * h, x);
    slowness[axis] = into > 0.0 ? normal_behind : -normal_behind;
    set_part(waves + (size_t)2 * TOTAL_FIELD_VALUES, waves, mt, 1 - medium, slowness, across,
             (1.0 + of_e) * e, (1.0 + of_h) * h, x);
    return SEDGE_OK;
}

// ---- checks ------------------------------------------------------------------------------------

// A wall on which the surface ends lies in the total fields and in the scattered ones: the wave
// alone must satisfy its condition, that is cause no jump there.
static sedge_status check_wall(const sedge_problem *problem, const double *wave, const double *m,
                               const sedge_background_wall *wall, int number)
{
    const sedge_boundary *const boundary = &problem->boundaries[wall->surface];
    const double *const u = wave + TOTAL_FIELD_E; // H follows
    const double most = fmax(sqrt(dot(u, u)), sqrt(dot(u + 3, u + 3)));
    double v[6], jump[6], worst = 0.0;

    boundary->kind->apply(u, m, wall->normal, wall->place, 0.0, boundary->parameters,
                          problem->constants, v);
    problem->equation->surface(u, v, m, m, wall->normal, problem->constants, jump);
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(jump[i]));
    if (worst <= 1e-6 * most * speed_in(m)) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "the plane wave %d, with direction (%.4g, %.4g, %.4g) and electric field "
        "(%.4g, %.4g, %.4g), does not satisfy the condition '%s' of the surface '%s', "
        "whose normal is (%.4g, %.4g, %.4g) and on which the total-field surface "
        "ends: a wave along a pec wall has its electric field across the wall, along "
        "a pmc wall in the wall; choose such a wave, or let the surface end before "
        "the wall",
        number, wave[0] * speed_in(m), wave[1] * speed_in(m), wave[2] * speed_in(m), u[0], u[1],
        u[2], boundary->kind->name, wall->name, wall->normal[0], wall->normal[1], wall->normal[2]);
}

enum { SAMPLES = 1000000 };
#define LIMIT 1e-5 // of the amplitude, that may have passed

// At time 0 no wave may have reached the box around the surface: what has passed would be missing.
// The signal at the box's first corner is that of all times until it is there.
static sedge_status check_start(const sedge_problem *problem, const double *wave, int number,
                                const double bounds[2][3])
{
    const double *const signal = wave + TOTAL_FIELD_SIGNAL;
    double early = 0.0; // the time since the wave was at the first corner
    double most = 0.0;
    double most_ever = fabs(signal[1]);

    for (int d = 0; d < 3; d++) {
        const double s = wave[TOTAL_FIELD_SLOWNESS + d];
        early -= s * (bounds[s > 0.0 ? 0 : 1][d] - wave[TOTAL_FIELD_ORIGIN + d]);
    }
    // Ten samples in a period of the highest frequency; of a signal that repeats for so long that
    // they are too many, the first.
    const double step = 0.1 / sedge_signal_kind_of(signal)->frequency(signal);
    for (int i = 0; early > 0.0 && i < SAMPLES && (i - 1) * step < early; i++)
        most = fmax(most, fabs(sedge_signal(signal, fmin(i * step, early))));
    if (most <= LIMIT * most_ever) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the plane wave %d has reached the total-field surface before the run starts "
                      "(its signal was up to %.2g of its amplitude there): begin it later by at "
                      "least %.6g%s, by its delay or by an origin further back",
                      number, most / most_ever, sedge_problem_shown(problem, SEDGE_TIME, early),
                      sedge_problem_unit(problem, SEDGE_TIME));
}

static sedge_status feed(const sedge_problem *problem, const sedge_background *background,
                         double *c, int *count)
{
    const int media = background->m[1] != NULL ? 2 : 1;
    const int parts = media == 2 ? 3 : 1;
    double *wave = c + TOTAL_FIELD_HEAD;

    c[TOTAL_FIELD_WAVES] = problem->incident_count * parts;
    c[TOTAL_FIELD_MEDIA] = media;
    for (int k = 0; k < 2; k++) {
        const double *const m = background->m[k < media ? k : 0];
        c[TOTAL_FIELD_MATERIALS + 2 * k] = m[MAXWELL_INVERSE_EPSILON];
        c[TOTAL_FIELD_MATERIALS + 2 * k + 1] = m[MAXWELL_INVERSE_MU];
    }
    for (int i = 0; i < problem->incident_count; i++) {
        const double *const p = problem->incidents[i].parameters;
        if (media == 1) set_wave(wave, p, background->m[0], 0);
        if (media == 2) SEDGE_TRY(set_half_spaces(wave, p, background, i));
        SEDGE_TRY(check_start(problem, wave, i, background->bounds));
        for (int k = 0; k < parts; k++, wave += TOTAL_FIELD_VALUES) {
            const double *const m = background->m[(int)wave[TOTAL_FIELD_MEDIUM]];
            for (int w = 0; w < background->walls; w++)
                SEDGE_TRY(check_wall(problem, wave, m, &background->wall[w], i));
        }
    }
    *count = (int)(wave - c);
    return SEDGE_OK;
}

const sedge_face_kind sedge_face_total_field = {
    .equation = "maxwell",
    .kind = {.name = "total-field",
             .function = "maxwell_total_field",
             .apply_two_sided = maxwell_total_field,
             .header = "total_field_face.h",
             .header_text = sedge_text_total_field_face_h,
             .text = "closed surface inside the mesh through which all plane-wave sources enter: "
                     "inside it the fields are the total ones, outside the scattered ones",
             .feed = feed}};
