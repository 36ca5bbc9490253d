// Media beside ports, their law's numbers, and modes of waveguides.
#include "port_fit.h"

#include "port_whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI         3.14159265358979323846
#define MOST_ROUND 12.0 // k times the radius of a round guide: maxwell_port_bessel
#define FLAT       1e-6 // of vectors and lengths: the digits of mesh files

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- media -------------------------------------------------------------------------------------

static bool is_same(const double *m, const double *other)
{
    for (int k = 0; k < MAXWELL_MATERIAL_VALUES; k++)
        if (fabs(m[k] - other[k]) > 1e-12 * fabs(m[k])) return false;
    return true;
}

sedge_status port_fit_medium(int *volume, const sedge_problem *problem, const char *surface,
                             const sedge_surface_shape *shape, bool uniform)
{
    *volume = shape->volumes[0][0];
    for (int64_t i = 0; i < 2 * shape->count; i++) {
        const int v = shape->volumes[i / 2][i % 2];
        if (v < 0) continue;
        for (int t = 0; t < problem->term_count; t++) {
            const sedge_term_kind *const kind = problem->terms[t].kind;
            if (!problem->terms[t].present[v] || (!uniform && kind->layer == 0)) continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: beside the port is %s '%s', which is not possible: "
                              "%s",
                              surface,
                              kind->layer != 0 ? "an absorbing layer, with" : "a medium with",
                              kind->name,
                              kind->layer != 0 ? "let an element at least lie between them"
                                               : "a mode of a waveguide needs one medium without "
                                                 "loss, the same in all directions");
        }
        const double *const m = problem->materials[v];
        if (!uniform ||
            (!(fabs(m[MAXWELL_DECAY]) > 0.0) && is_same(m, problem->materials[*volume])))
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: a mode of a waveguide needs one medium without loss on "
                          "both sides of all the port, and beside it are several, or one that "
                          "conducts; a line of several media has a line-port",
                          surface);
    }
    return SEDGE_OK;
}

// ---- numbers of the law ------------------------------------------------------------------------

void port_set_resistor(double *p, double resistance, double squares)
{
    p[PORT_CONDUCTANCE] = 1.0 / (resistance * squares);
    p[PORT_GAIN] = 2.0 * p[PORT_CONDUCTANCE]; // the source has twice the wave's voltage
}

bool port_is_line(const double *p)
{
    return (int)p[PORT_PROFILE] == PORT_FOUND_LINE;
}

bool port_is_open(const double *p)
{
    return (int)p[PORT_PROFILE] >= PORT_FOUND_LINE;
}

static bool is_hybrid(const double *p)
{
    return (int)p[PORT_PROFILE] == PORT_FOUND_HYBRID;
}

double port_squares(const double *p)
{
    if (port_is_line(p)) return p[PORT_SQUARES];
    return p[PORT_CONDUCTANCE] > 0.0 ? 1.0 / (p[0] * p[PORT_CONDUCTANCE]) : 1.0;
}

double port_shown_resistance(double resistance, double hertz)
{
    return hertz > 0.0 ? resistance * VACUUM_OHMS : resistance;
}

bool port_is(const sedge_boundary_kind *kind)
{
    static const char law[] = "maxwell_port"; // or maxwell_port_outside

    return kind != NULL && kind->function != NULL && strncmp(kind->function, law, strlen(law)) == 0;
}

bool port_is_guide(const sedge_boundary_kind *kind)
{
    return port_is(kind) &&
           (kind->parameters == port_guide_parameters || kind->parameters == port_line_parameters ||
            kind->parameters == port_mode_parameters);
}

void port_normal(const sedge_boundary *boundary, double normal[3])
{
    const double *const p = boundary->parameters;

    if (port_is_guide(boundary->kind)) {
        for (int i = 0; i < 3; i++) {
            const double *const u = p + PORT_U, *const v = p + PORT_V;
            normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        }
    } else {
        memcpy(normal, p + PORT_V, 3 * sizeof *normal);
    }
}

// ---- waveguides --------------------------------------------------------------------------------

const sedge_parameter port_guide_parameters[PORT_GUIDE_PARAMETERS] = {
    PORT_SHIFT_AND_DIRECTION,
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .text =
         "one side of the cross-section; [0, 0, 0]: the longer one, which then lies along x, "
         "y or z. Of a round guide the direction of E on the axis for TE11, and from which the "
         "angle counts for all. With `mode` a direction by which the sign is chosen, and of two "
         "modes with one cut-off the one whose mean E is along it"},
    {.name = "m",
     .type = SEDGE_PARAMETER_INTEGER,
     .minimum = 0.0,
     .maximum = 99.0,
     .text =
         "of a rectangular guide half waves along the longer side of the cross-section, or along "
         "`axis`; of a round guide periods around it"},
    {.name = "n",
     .type = SEDGE_PARAMETER_INTEGER,
     .minimum = 0.0,
     .maximum = 99.0,
     .text =
         "half waves along the other side; of a round guide the number of the zero of J_m, for TE "
         "of its derivative, from 1"},
    {.name = "mode",
     .type = SEDGE_PARAMETER_INTEGER,
     .minimum = 0.0,
     .maximum = PORT_MOST_MODES,
     .text = "in place of m and n, for a cross-section of any shape: the number of the mode among "
             "those of the family, TE or TM, from 1 with rising cut-off; its field and cut-off are "
             "computed"},
};

// The side of the guide along which m counts: the axis given, or the longer side, if that lies
// along x, y or z, towards larger coordinates.
static sedge_status find_side(double side[3], const double *p, const shape_plane *plane,
                              const char *surface, const sedge_surface_shape *shape)
{
    const double *const given = p + GUIDE_AXIS;
    const double length = sqrt(dot(given, given));
    double longest = 0.0;

    for (int d = 0; d < 3; d++) side[d] = 0.0;
    for (int d = 0; d < 3 && length > 0.0; d++) side[d] = given[d] / length;
    if (length > 0.0) return SEDGE_OK;
    for (int d = 0; d < 3; d++) {
        double axis[3] = {0.0, 0.0, 0.0}, extent[2];
        axis[d] = 1.0;
        if (fabs(plane->normal[d]) > FLAT) continue;
        shape_find_extent(axis, shape, extent);
        if (!(extent[1] - extent[0] > longest)) continue;
        longest = extent[1] - extent[0];
        memcpy(side, axis, sizeof axis);
    }
    const double square = longest * longest;
    if (plane->area < square * (1.0 - FLAT)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: 'axis' is needed, a vector along the side of the "
                      "cross-section along which m counts: %s",
                      surface,
                      plane->area > square * (1.0 + FLAT)
                          ? "its longer side does not lie along x, y or z"
                          : "its sides are equal");
}

// A rectangular guide: the mode's wave numbers along its sides, and its size.
static sedge_status fit_rectangular(double *p, const shape_plane *plane, int profile,
                                    const char *surface, const sedge_surface_shape *shape)
{
    const double m = p[GUIDE_M], n = p[GUIDE_N];
    double side[3], lengths[2];

    if (!(profile == PORT_TE ? m + n > 0.0 : m * n > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: there is no mode T%c%g%g of a rectangular guide: %s",
                          surface, profile == PORT_TE ? 'E' : 'M', m, n,
                          profile == PORT_TE ? "m or n must be 1 or more; or give 'mode'"
                                             : "m and n must be 1 or more; or give 'mode'");
    }
    SEDGE_TRY(find_side(side, p, plane, surface, shape));
    SEDGE_TRY(
        shape_fit_rectangle(p + PORT_ORIGIN, p + PORT_V, lengths, plane, side, surface, shape));
    memcpy(p + PORT_U, side, sizeof side);
    const double ku = PI * m / lengths[0], kv = PI * n / lengths[1];
    // Integrals of cos^2 and of sin^2 of m or n half waves, and of the field squared.
    const double cu = lengths[0] * (m > 0.0 ? 0.5 : 1.0), su = m > 0.0 ? 0.5 * lengths[0] : 0.0;
    const double cv = lengths[1] * (n > 0.0 ? 0.5 : 1.0), sv = n > 0.0 ? 0.5 * lengths[1] : 0.0;
    const double squares = profile == PORT_TE ? kv * kv * cu * sv + ku * ku * su * cv
                                              : ku * ku * cu * sv + kv * kv * su * cv;
    p[PORT_PROFILE] = profile;
    p[PORT_KU] = ku;
    p[PORT_KV] = kv;
    p[PORT_SCALE] = (m > 0.0 ? 1.0 : -1.0) / sqrt(squares);
    return SEDGE_OK;
}

static double bessel(int m, double x)
{
    return maxwell_port_bessel(m, x) * pow(0.5 * x, m);
}

// J_m, for TE its derivative: 0 at k times the radius of the guide's modes.
static double find_bessel(int m, double x, bool te)
{
    if (!te) return bessel(m, x);
    return m > 0 ? 0.5 * (bessel(m - 1, x) - bessel(m + 1, x)) : -bessel(1, x);
}

// The zero between two places where the function has different signs.
static double narrow(int m, bool te, double a, double b)
{
    const bool above = find_bessel(m, a, te) > 0.0;

    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (a + b);

        if ((find_bessel(m, middle, te) > 0.0) == above) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return 0.5 * (a + b);
}

// The zero number n above 0, from 1.
double port_round_number(int m, int n, bool te)
{
    const double step = 0.05; // zeros are more than 2 apart
    int count = 0;

    for (int i = 0; i < (int)(MOST_ROUND / step) - 1; i++) {
        const double low = (i + 0.5) * step;
        const double high = low + step;
        const bool crosses = (find_bessel(m, low, te) > 0.0) != (find_bessel(m, high, te) > 0.0);

        if (crosses && ++count == n) return narrow(m, te, low, high);
    }
    return (double)NAN;
}

sedge_status port_fit_axis(double u[3], const double given[3], const shape_plane *plane,
                           const char *surface, const sedge_surface_shape *shape)
{
    double length = sqrt(dot(given, given)), longest = 0.0;
    int which = 0;

    for (int d = 1; d < 3; d++)
        if (fabs(plane->normal[d]) < fabs(plane->normal[which]) - FLAT) which = d;
    for (int d = 0; d < 3 && !(length > 0.0); d++) {
        double axis[3] = {0.0, 0.0, 0.0}, extent[2];
        axis[d] = 1.0;
        if (fabs(plane->normal[d]) > FLAT) continue;
        shape_find_extent(axis, shape, extent);
        if (!(extent[1] - extent[0] > longest * (1.0 + FLAT))) continue;
        longest = extent[1] - extent[0];
        which = d;
    }
    for (int d = 0; d < 3; d++) u[d] = length > 0.0 ? given[d] / length : (double)(d == which);
    const double along = dot(u, plane->normal);
    if (length > 0.0 && fabs(along) > FLAT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: 'axis' (%.4g, %.4g, %.4g) does not lie in the plane of "
                          "the port, whose normal is (%.4g, %.4g, %.4g)",
                          surface, given[0], given[1], given[2], plane->normal[0], plane->normal[1],
                          plane->normal[2]);
    }
    for (int d = 0; d < 3; d++) u[d] -= along * plane->normal[d];
    length = sqrt(dot(u, u));
    for (int d = 0; d < 3; d++) u[d] /= length;
    return SEDGE_OK;
}

sedge_status port_fit_axes(double *p, const double given[3], const shape_plane *plane,
                           const char *surface, const sedge_surface_shape *shape)
{
    double *const u = p + PORT_U, *const v = p + PORT_V;
    const double *const n = plane->normal;

    SEDGE_TRY(port_fit_axis(u, given, plane, surface, shape));
    for (int d = 0; d < 3; d++)
        v[d] = n[(d + 1) % 3] * u[(d + 2) % 3] - n[(d + 2) % 3] * u[(d + 1) % 3];
    return SEDGE_OK;
}

// A round guide: m periods around, zero number n of J_m, for TE of its derivative, at the wall.
static sedge_status fit_round(double *p, const shape_plane *plane, int profile, const char *surface,
                              const sedge_surface_shape *shape, double radius)
{
    const bool te = profile == PORT_TE;
    const int m = (int)p[GUIDE_M], n = (int)p[GUIDE_N];
    const double x = n > 0 ? port_round_number(m, n, te) : (double)NAN;

    if (!(x < MOST_ROUND)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: there is no mode T%c%d%d of a round guide, or its "
                          "cut-off is above that of %g / radius; n must be 1 or more; or give "
                          "'mode'",
                          surface, te ? 'E' : 'M', m, n, MOST_ROUND);
    }
    SEDGE_TRY(port_fit_axes(p, p + GUIDE_AXIS, plane, surface, shape));
    // int |grad f|^2 = k^2 int f^2, and that of J_m^2 r is x^2 / 2 (J_m'^2 + (1 - m^2 / x^2)
    // J_m^2).
    const double at = find_bessel(m, x, !te);
    const double squares =
        (m > 0 ? PI : 2.0 * PI) * 0.5 * at * at * (te ? x * x - (double)m * m : x * x);
    p[PORT_PROFILE] = te ? PORT_ROUND_TE : PORT_ROUND_TM;
    p[PORT_KU] = x / radius;
    p[PORT_KV] = m;
    p[PORT_SCALE] = 1.0 / sqrt(squares);
    return SEDGE_OK;
}

// A guide of any shape, whose mode port_find_field finds.
static sedge_status fit_any(double *p, const shape_plane *plane, int profile, const char *surface,
                            const sedge_surface_shape *shape)
{
    if (p[GUIDE_M] + p[GUIDE_N] > 0.0) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "boundaries.%s: the mode is given by 'm' and 'n' and by 'mode'; leave out "
            "the former for a cross-section of any shape, or the latter for a "
            "rectangular or round one",
            surface);
    }
    memcpy(p + PORT_ORIGIN, shape->triangles[0], 3 * sizeof *p);
    p[PORT_PROFILE] = profile == PORT_TE ? PORT_FOUND_TE : PORT_FOUND_TM;
    return port_fit_axes(p, p + GUIDE_AXIS, plane, surface, shape);
}

// A rectangle or a disc.
static sedge_status fit_known(double *p, const shape_plane *plane, int profile, const char *surface,
                              const sedge_surface_shape *shape)
{
    double radius = 0.0;
    bool round = false;

    SEDGE_TRY(shape_find_disc(&round, p + PORT_ORIGIN, &radius, plane, shape));
    return round ? fit_round(p, plane, profile, surface, shape, radius)
                 : fit_rectangular(p, plane, profile, surface, shape);
}

sedge_status port_fit_direction(const double *p, const shape_plane *plane, const char *surface)
{
    const double *const into = p + GUIDE_DIRECTION;
    const double *const n = plane->normal;

    if (fabs(fabs(dot(into, n)) / sqrt(dot(into, into)) - 1.0) <= FLAT) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the direction (%.4g, %.4g, %.4g) is not across the port, "
                      "whose normal is (%.4g, %.4g, %.4g)",
                      surface, into[0], into[1], into[2], n[0], n[1], n[2]);
}

// Of the whole port.
static sedge_status fit_whole(const sedge_problem *problem, const char *surface,
                              const sedge_surface_shape *shape, double *p, int profile)
{
    shape_plane plane;
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    SEDGE_TRY(port_fit_direction(p, &plane, surface));
    SEDGE_TRY(p[GUIDE_MODE] > 0.0 ? fit_any(p, &plane, profile, surface, shape)
                                  : fit_known(p, &plane, profile, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, true));
    p[PORT_VOLUME] = volume;
    p[PORT_CONDUCTANCE] = 0.0;
    p[PORT_GAIN] = 2.0 * problem->materials[volume][MAXWELL_Y];
    return SEDGE_OK;
}

sedge_status port_fit_guide(const sedge_problem *problem, const char *surface,
                            const sedge_surface_shape *shape, double *p, int profile)
{
    port_whole whole;
    sedge_status status = port_whole_create(&whole, problem, surface, shape);

    if (status == SEDGE_OK) status = fit_whole(problem, surface, &whole.shape, p, profile);
    port_whole_clear(&whole);
    return status;
}

// Wave number at the cut-off.
static double cutoff_number(const double *p)
{
    const int profile = (int)p[PORT_PROFILE];
    const bool rectangular = profile == PORT_TE || profile == PORT_TM;

    return rectangular ? hypot(p[PORT_KU], p[PORT_KV]) : p[PORT_KU];
}

void port_describe_guide(char text[160], const char *family, const double *p, double hertz)
{
    // The cut-off in vacuum: the material is not known here.
    const double frequency = cutoff_number(p) / (2.0 * PI);

    char name[32];

    if (p[GUIDE_MODE] > 0.0) {
        (void)snprintf(name, sizeof name, "%s number %g", family, p[GUIDE_MODE]);
    } else {
        (void)snprintf(name, sizeof name, "%s%g%g", family, p[GUIDE_M], p[GUIDE_N]);
    }
    (void)snprintf(text, 160, "%s, cut-off in vacuum %.6g%s", name,
                   hertz > 0.0 ? frequency * hertz : frequency, hertz > 0.0 ? " Hz" : "");
}

static const double *medium_of(const sedge_problem *problem, const double *p)
{
    return problem->materials[(int)p[PORT_VOLUME]];
}

double port_cutoff(const sedge_problem *problem, const double *p)
{
    if (port_is_line(p)) return 0.0;
    if (is_hybrid(p))
        return p[HYBRID_FREQUENCY] * sqrt(fmax(0.0, 1.0 - p[PORT_INDEX] / p[HYBRID_GROUP]));
    const double *const m = medium_of(problem, p);
    return cutoff_number(p) * sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]) / (2.0 * PI);
}

// sqrt(1 - (f_c / f)^2)
static double find_slope(const sedge_problem *problem, const double *p, double frequency)
{
    const double part = port_cutoff(problem, p) / frequency;

    return part <= 1.0 / 1.01 ? sqrt(1.0 - part * part) : (double)NAN;
}

// The index of a mode-port's mode. The wave number's square is linear in that of the frequency, as
// in a guide of one medium, with the group index that is known at the port's own frequency.
static double find_index(const sedge_problem *problem, const double *p, double frequency)
{
    const double part = p[HYBRID_FREQUENCY] / frequency, n = p[PORT_INDEX], g = p[HYBRID_GROUP];

    if (!(frequency >= 1.01 * port_cutoff(problem, p))) return (double)NAN;
    return sqrt(part * part * n * n + n * g * (1.0 - part * part));
}

// Its impedance is a power of the index, as of TE and TM modes of one medium, where it changes no
// more than that; else a power of the frequency. The first derivative is exact.
static double find_impedance(const sedge_problem *problem, const double *p, double frequency)
{
    const double index = find_index(problem, p, frequency);
    const double of_index = p[HYBRID_GROUP] / p[PORT_INDEX] - 1.0, slope = p[HYBRID_SLOPE];

    if (!(index > 0.0)) return (double)NAN;
    if (fabs(slope) <= 1.001 * fabs(of_index))
        return p[PORT_LINE] * pow(index / p[PORT_INDEX], slope / of_index);
    return p[PORT_LINE] * pow(frequency / p[HYBRID_FREQUENCY], slope);
}

// Half of the current that a guide's port drives goes either way, and of the one that is driven
// through a resistance R half goes into what has the impedance R.
double port_incident(const sedge_problem *problem, const double *p, double frequency)
{
    const double squares = port_squares(p);
    const double current = 0.5 * p[PORT_GAIN] * squares;
    const double impedance = p[PORT_CONDUCTANCE] > 0.0 ? 1.0 / (p[PORT_CONDUCTANCE] * squares)
                                                       : port_impedance(problem, p, frequency);

    return 0.5 * impedance * current * current;
}

double port_impedance(const sedge_problem *problem, const double *p, double frequency)
{
    if (port_is_line(p)) return p[PORT_LINE];
    if (is_hybrid(p)) return find_impedance(problem, p, frequency);
    const double slope = find_slope(problem, p, frequency);
    const double z = medium_of(problem, p)[MAXWELL_Z];

    const int profile = (int)p[PORT_PROFILE];

    const bool te = profile == PORT_TE || profile == PORT_ROUND_TE || profile == PORT_FOUND_TE;

    return te ? z / slope : z * slope;
}

double port_phase(const sedge_problem *problem, const double *p, double frequency)
{
    if (port_is_line(p)) return 2.0 * PI * frequency * p[PORT_INDEX];
    if (is_hybrid(p)) return 2.0 * PI * frequency * find_index(problem, p, frequency);
    const double *const m = medium_of(problem, p);
    return 2.0 * PI * frequency * find_slope(problem, p, frequency) /
           sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);
}
