// A lumped port: a resistor with a voltage source in series, spread over a rectangle between two
// conductors.
#include "port_fit.h"

#include <math.h>
#include <stdio.h>

#define FLAT 1e-6 // of the port's size: the digits of mesh files

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

// A port that planes of symmetry cut: the mesh has one of `*parts` parts, and `lengths`, along the
// field and across it, become those of the whole.
static sedge_status complete(double lengths[2], int *parts, const sedge_problem *problem,
                             const shape_plane *plane, const double along[3], const char *surface,
                             const sedge_surface_shape *shape)
{
    *parts = 1;
    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const mirror = &problem->mirrors[d];
        const double axis[3] = {d == 0, d == 1, d == 2};
        const bool electric = mirror->kind == SEDGE_MIRROR_ELECTRIC;
        double extent[2];

        if (mirror->kind == SEDGE_MIRROR_NONE) continue;
        shape_find_extent(axis, shape, extent);
        const double gap =
            fmin(fabs(extent[0] - mirror->position), fabs(extent[1] - mirror->position));
        if (gap > FLAT * plane->size) continue;
        // The field is across an electric plane and in a magnetic one; the port is across both.
        const double across = fabs(along[d]);
        if (extent[1] - extent[0] > FLAT * plane->size &&
            (electric ? across > 1.0 - FLAT : across < FLAT)) {
            lengths[electric ? 0 : 1] *= 2.0;
            *parts *= 2;
            continue;
        }
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the plane of symmetry %c = %.6g, of type %s, cuts the "
                          "port, whose direction (%.4g, %.4g, %.4g) must be %s: the field of "
                          "the other part would not be its mirror image",
                          surface, 'x' + d, mirror->position, electric ? "pec" : "pmc", along[0],
                          along[1], along[2],
                          electric ? "across the plane" : "in the plane, and the port across it");
    }
    return SEDGE_OK;
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    const double *const d = p + LUMPED_DIRECTION;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double along[3], across[3], lengths[2];
    shape_plane plane;
    int volume = 0, parts = 1;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    for (int i = 0; i < 3; i++) along[i] = d[i] / length;
    SEDGE_TRY(shape_fit_rectangle(p + PORT_ORIGIN, across, lengths, &plane, along, surface, shape));
    SEDGE_TRY(complete(lengths, &parts, problem, &plane, along, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    p[PORT_PROFILE] = PORT_UNIFORM;
    p[PORT_VOLUME] = volume;
    p[PORT_PARTS] = parts;
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
