// A lumped port: a resistor with a voltage source in series, spread over a rectangle between two
// conductors.
#include "port_fit.h"

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
    const double *const d = p + LUMPED_DIRECTION;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double along[3], across[3], lengths[2];
    shape_plane plane;
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    for (int i = 0; i < 3; i++) along[i] = d[i] / length;
    SEDGE_TRY(shape_fit_rectangle(p + PORT_ORIGIN, across, lengths, &plane, along, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    p[PORT_PROFILE] = PORT_UNIFORM;
    p[PORT_VOLUME] = volume;
    for (int i = 0; i < 3; i++) {
        p[PORT_U + i] = along[i] / lengths[0];
        p[PORT_V + i] = plane.normal[i];
    }
    port_set_resistor(p, p[LUMPED_RESISTANCE], lengths[1] / lengths[0]);
    return SEDGE_OK;
}

static void describe(char text[160], const double *p, double hertz)
{
    const double *const u = p + PORT_U;
    const double length = 1.0 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);

    (void)snprintf(text, 160, "%.6g%s over a length of %.6g and a width of %.6g",
                   port_shown_resistance(p[LUMPED_RESISTANCE], hertz), hertz > 0.0 ? " ohm" : "",
                   length, length * p[PORT_SQUARES]);
}

static const sedge_boundary_kind outside = {.name = "lumped-port",
                                            .function = "maxwell_port_outside",
                                            .apply = maxwell_port_outside,
                                            .fit = fit,
                                            .linear = true,
                                            .driven = PORT_SIGNAL,
                                            .describe = describe,
                                            .header = "sheet_face.h",
                                            .header_text = sedge_text_sheet_face_h,
                                            .parameters = parameters,
                                            .parameter_count =
                                                sizeof parameters / sizeof *parameters,
                                            .text = "lumped port on the outside of the mesh"};

const sedge_face_kind sedge_face_lumped_port = {
    .equation = "maxwell",
    .kind = {.name = "lumped-port",
             .function = "maxwell_port",
             .apply_two_sided = maxwell_port,
             .fit = fit,
             .linear = true,
             .driven = PORT_SIGNAL,
             .outside = &outside,
             .describe = describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "port with a resistance on a rectangle between two conductors, inside the "
                     "mesh or on its outside; sources of type port drive it"}};
