// A port of a line whose cross-section may have several media and be open, such as a microstrip: a
// sheet of current sends the line's wave both ways, and all waves pass through it.
//
// The wave is the static one. With potentials f0 and f of the conductors' voltages, of vacuum and
// of the media, its E is -grad f and its H turned by a right angle is along -grad f0, so that
// int grad f . grad f0 = int |grad f0|^2 = F gives voltage and current of any such wave. With
// C = int epsilon |grad f|^2 the impedance is sqrt(mu / (F C)), the index sqrt(mu C / F)
// (e.g. Collin, Field Theory of Guided Waves, on quasi-static lines). Of one medium that is exact;
// of several the fields along the line are neglected, which are small at low frequencies.
#include "port_field.h"
#include "port_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const sedge_parameter port_line_parameters[PORT_LINE_PARAMETERS] = {
    PORT_SHIFT_AND_DIRECTION,
    {.name = "voltages",
     .type = SEDGE_PARAMETER_WEIGHTS,
     .required = true,
     .text = "of conductors, by the names of their surfaces, the parts of the port's voltage that "
             "they have, such as {strip: 1}; others have 0"},
};

// May the term be in a medium beside the port? Relaxations of E may.
static bool is_allowed(const sedge_term_kind *kind)
{
    return kind->relaxes && kind->field_triple == 1;
}

// The same medium on both sides of each face, and everywhere the same permeability.
static sedge_status check_media(const sedge_problem *problem, const char *surface,
                                const sedge_surface_shape *shape)
{
    const double *const first = problem->materials[shape->volumes[0][0]];

    for (int64_t i = 0; i < 2 * shape->count; i++) {
        const int v = shape->volumes[i / 2][i % 2], other = shape->volumes[i / 2][1 - i % 2];
        const double *const m = problem->materials[v >= 0 ? v : other];
        const double epsilon[2] = {port_line_epsilon(problem, v >= 0 ? v : other),
                                   port_line_epsilon(problem, other >= 0 ? other : v)};

        for (int t = 0; t < problem->term_count; t++) {
            if (v < 0 || !problem->terms[t].present[v] || is_allowed(problem->terms[t].kind))
                continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: beside the port is a medium with '%s', and the media "
                              "of a line-port must have none but epsilon, mu and conductivity as "
                              "numbers, and debye poles",
                              surface, problem->terms[t].kind->name);
        }
        if (fabs(m[MAXWELL_INVERSE_MU] - first[MAXWELL_INVERSE_MU]) >
            1e-12 * first[MAXWELL_INVERSE_MU]) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: beside the port are media with different mu, %.6g "
                              "and %.6g, and those of a line-port must have the same",
                              surface, 1.0 / first[MAXWELL_INVERSE_MU],
                              1.0 / m[MAXWELL_INVERSE_MU]);
        }
        if (fabs(epsilon[0] - epsilon[1]) > 1e-12 * epsilon[0]) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: a face of the port lies between media with epsilon "
                              "%.6g and %.6g: the line must go on behind the port as it is before",
                              surface, epsilon[0], epsilon[1]);
        }
    }
    return SEDGE_OK;
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    const double none[3] = {0.0, 0.0, 0.0};
    shape_plane plane;
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    SEDGE_TRY(port_fit_direction(p, &plane, surface));
    SEDGE_TRY(port_fit_axes(p, none, &plane, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    SEDGE_TRY(check_media(problem, surface, shape));
    memcpy(p + PORT_ORIGIN, shape->triangles[0], 3 * sizeof *p);
    p[PORT_PROFILE] = PORT_FOUND_LINE;
    p[PORT_VOLUME] = volume;
    p[PORT_CONDUCTANCE] = 0.0;
    return SEDGE_OK;
}

static void describe(char text[160], const double *p, double hertz)
{
    (void)snprintf(text, 160, "%.6g%s, index %.6g", port_shown_resistance(p[PORT_LINE], hertz),
                   hertz > 0.0 ? " ohm" : "", p[PORT_INDEX]);
}

const sedge_face_kind sedge_face_line_port = {
    .equation = "maxwell",
    .kind = {PORT_COMMON, .name = "line-port", .function = "maxwell_port",
             .apply_two_sided = maxwell_port, .into = GUIDE_DIRECTION, .shares = true,
             .parameters = port_line_parameters, .parameter_count = PORT_LINE_PARAMETERS,
             .text = "port of a line of conductors, such as a microstrip, on a plane inside the "
                     "mesh across the line; media may lie side by side, and what bounds the plane "
                     "need not conduct; behind it the line goes on and ends in a perfectly matched "
                     "layer; sources of type port drive it"}};
