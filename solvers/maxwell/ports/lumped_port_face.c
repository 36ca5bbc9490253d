// A lumped port: a resistor with a voltage source in series, spread over a rectangle between two
// conductors.
#include "port_fit.h"

#include "port_whole.h"

#include <math.h>
#include <stdio.h>

static const sedge_parameter parameters[] = {
    [LUMPED_RESISTANCE] = {.name = "resistance",
                           .required = true,
                           .positive = true,
                           .dimension = SEDGE_RESISTANCE,
                           .text = "of the port: a line with this impedance is matched"},
    [LUMPED_DIRECTION] = {.name = "direction",
                          .type = SEDGE_PARAMETER_VECTOR,
                          .required = true,
                          .nonzero = true,
                          .text = "from one conductor to the other, along two sides of the "
                                  "rectangle: an electric field along it is a voltage above 0"},
};

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    shape_gap gap;
    int volume = 0;

    SEDGE_TRY(shape_fit_gap(&gap, problem, p + LUMPED_DIRECTION, surface, shape));
    SEDGE_TRY(port_whole_check(problem, surface, gap.parts));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    p[PORT_PROFILE] = PORT_UNIFORM;
    p[PORT_VOLUME] = volume;
    for (int i = 0; i < 3; i++) {
        p[PORT_ORIGIN + i] = gap.origin[i];
        p[PORT_U + i] = gap.along[i] / gap.length;
        p[PORT_V + i] = gap.normal[i];
    }
    port_set_resistor(p, p[LUMPED_RESISTANCE], gap.width / gap.length);
    return SEDGE_OK;
}

static void describe(char text[160], const double *p, double hertz)
{
    const double *const u = p + PORT_U;
    const double length = 1.0 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);

    (void)snprintf(text, 160, "%.6g%s over a length of %.6g and a width of %.6g",
                   port_shown_resistance(p[LUMPED_RESISTANCE], hertz), hertz > 0.0 ? " ohm" : "",
                   length, length * port_squares(p));
}

PORT_RESISTOR(lumped_port, "lumped-port", false,
              "port with a resistance on a rectangle between two conductors, inside the mesh or on "
              "its outside; sources of type port drive it");
