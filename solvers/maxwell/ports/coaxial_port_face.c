// The end of a coaxial line: a resistor with a voltage source in series, spread over a ring between
// its conductors as the line's field is.
#include "port_fit.h"

#include "port_whole.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

static const sedge_parameter parameters[] = {
    [COAXIAL_RESISTANCE] = {.name = "resistance",
                            .maximum = HUGE_VAL,
                            .dimension = SEDGE_RESISTANCE,
                            .text = "of the port; 0: that of the line, which is matched then"},
};

// The wave impedance of the line's medium.
static sedge_status find_impedance(double *out, const sedge_problem *problem, const char *surface,
                                   const sedge_surface_shape *shape)
{
    *out = problem->materials[shape->volumes[0][0]][MAXWELL_Z];
    for (int64_t i = 0; i < 2 * shape->count; i++) {
        const int v = shape->volumes[i / 2][i % 2];

        if (v < 0 || fabs(problem->materials[v][MAXWELL_Z] - *out) <= 1e-12 * *out) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: 'resistance' is needed, since media with different wave "
                          "impedances lie beside the port",
                          surface);
    }
    return SEDGE_OK;
}

// Of the whole ring.
static sedge_status fit_ring(const sedge_problem *problem, const char *surface,
                             const sedge_surface_shape *shape, double *p)
{
    double radii[2];
    shape_plane plane;
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    SEDGE_TRY(shape_fit_ring(p + PORT_ORIGIN, radii, &plane, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    const double squares = 2.0 * PI / log(radii[1] / radii[0]);
    if (!(p[COAXIAL_RESISTANCE] > 0.0)) {
        double z = 0.0;
        SEDGE_TRY(find_impedance(&z, problem, surface, shape));
        p[COAXIAL_RESISTANCE] = z / squares;
    }
    p[PORT_PROFILE] = PORT_RING;
    p[PORT_VOLUME] = volume;
    p[PORT_SCALE] = 1.0 / log(radii[1] / radii[0]);
    for (int i = 0; i < 3; i++) p[PORT_V + i] = plane.normal[i];
    port_set_resistor(p, p[COAXIAL_RESISTANCE], squares);
    return SEDGE_OK;
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    port_whole whole;
    sedge_status status = port_whole_create(&whole, problem, surface, shape);

    if (status == SEDGE_OK) status = fit_ring(problem, surface, &whole.shape, p);
    port_whole_clear(&whole);
    return status;
}

static void describe(char text[160], const double *p, double hertz)
{
    (void)snprintf(text, 160, "%.6g%s, radii 1 to %.6g",
                   port_shown_resistance(p[COAXIAL_RESISTANCE], hertz), hertz > 0.0 ? " ohm" : "",
                   exp(1.0 / p[PORT_SCALE]));
}

PORT_RESISTOR(coaxial_port, "coaxial-port", false,
              "port with a resistance on a flat ring between the conductors of a coaxial "
              "line, inside the mesh or on its outside: an electric field from the inner "
              "to the outer conductor is a voltage above 0; sources of type port drive it");
