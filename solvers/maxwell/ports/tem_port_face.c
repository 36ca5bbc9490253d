// The end of a line of conductors of any shape, one around all others: a resistor with a voltage
// source in series, spread over the surface between them as the field of one of the line's modes
// is.
#include "port_fit.h"

#include "port_whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sedge_parameter parameters[] = {
    [TEM_RESISTANCE] = {.name = "resistance",
                        .maximum = HUGE_VAL,
                        .dimension = SEDGE_RESISTANCE,
                        .text = "of the port; 0: that of the line, which is matched then"},
    [TEM_VOLTAGES] = {.name = "voltages",
                      .type = SEDGE_PARAMETER_WEIGHTS,
                      .text = "of a line of several conductors: of each inner conductor, by the "
                              "name of its surface, the part of the port's voltage that it has "
                              "against the outer one; without it of the one inner conductor 1"},
};

// Of the whole cross-section.
static sedge_status fit_line(const sedge_problem *problem, const char *surface,
                             const sedge_surface_shape *shape, double *p)
{
    const double none[3] = {0.0, 0.0, 0.0};
    shape_plane plane;
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    SEDGE_TRY(port_fit_axis(p + PORT_U, none, &plane, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, true));
    memcpy(p + PORT_ORIGIN, shape->triangles[0], 3 * sizeof *p);
    memcpy(p + PORT_V, plane.normal, sizeof plane.normal);
    p[PORT_PROFILE] = PORT_FOUND_TEM;
    p[PORT_VOLUME] = volume;
    return SEDGE_OK;
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    port_whole whole;
    sedge_status status = port_whole_create(&whole, problem, surface, shape);

    if (status == SEDGE_OK) status = fit_line(problem, surface, &whole.shape, p);
    port_whole_clear(&whole);
    return status;
}

static void describe(char text[160], const double *p, double hertz)
{
    (void)snprintf(text, 160, "%.6g%s, the line in vacuum %.6g%s",
                   port_shown_resistance(p[TEM_RESISTANCE], hertz), hertz > 0.0 ? " ohm" : "",
                   port_shown_resistance(1.0 / port_squares(p), hertz), hertz > 0.0 ? " ohm" : "");
}

PORT_RESISTOR(
    tem_port, "tem-port", true,
    "port with a resistance on a flat surface between conductors of any shape, one around "
    "the others, inside the mesh or on its outside: an electric field from the inner to "
    "the outer conductor is a voltage above 0; sources of type port drive it");
