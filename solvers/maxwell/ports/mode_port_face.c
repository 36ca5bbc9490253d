// A port of a guide whose cross-section may have several media and be open, such as a dielectric
// waveguide or an optical fibre: a sheet of current sends a mode of the guide both ways, and all
// waves pass through it. The mode is that of one frequency (port_hybrid.h).
//
// With the profiles e of E and g of H x z, whose product has the integral 1, V = int E.g and
// I = int (H x z).e are those of the mode alone, whatever other modes there are: e of one mode and
// g of another one are orthogonal (e.g. Collin, Field Theory of Guided Waves, chapter 6).
#include "port_field.h"
#include "port_fit.h"

#include "port_whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOSSY 0.02 // the loss tangent of a medium
#define SAME  1e-9 // of epsilon and mu on both sides of a face

const sedge_parameter port_mode_parameters[PORT_MODE_PARAMETERS] = {
    PORT_SHIFT_AND_DIRECTION,
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .text = "in the port's plane: the mode's mean E is along it, and of modes with one index it "
             "is the one whose mean E is; [0, 0, 0]: that of x, y and z along which the port is "
             "longest"},
    {.name = "mode",
     .type = SEDGE_PARAMETER_INTEGER,
     .fallback = {1.0},
     .minimum = 1.0,
     .maximum = PORT_MOST_MODES,
     .text = "its number, from 1 with the greatest index on"},
    {.name = "frequency",
     .required = true,
     .positive = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "of the mode, in the middle of the band; at others the port has the same fields"},
};

// A medium beside the port at its frequency.
static sedge_status check_medium(port_medium *out, const sedge_problem *problem,
                                 const char *surface, int volume, double omega,
                                 const double axes[2][3])
{
    double loss = 0.0, principal[3];

    if (!port_medium_find(out, &loss, problem, volume, omega, axes)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: beside the port is a medium in a static magnetic field, "
                          "one with a tensor of mu, or one whose tensor of epsilon has parts "
                          "between the port's plane and its normal, and a mode-port needs media of "
                          "which its plane is a plane of symmetry: turn the tensor or the port",
                          surface);
    }
    port_medium_principal(principal, out);
    const double least = fmin(principal[1], principal[2]);
    if (!(least > 0.0 && out->mu > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: beside the port is a medium with epsilon %.4g and mu "
                          "%.4g at 'frequency', and a mode-port needs them above 0: take a "
                          "surface of type pec or conductor in place of a metal",
                          surface, least, out->mu);
    }
    if (loss <= LOSSY) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: beside the port is a medium with the loss tangent %.3g at "
                      "'frequency', and a mode-port takes its media as lossless, which needs %g at "
                      "most: let the loss begin in front of the port",
                      surface, loss, LOSSY);
}

static bool are_same(const port_medium *a, const port_medium *b)
{
    double most = 0.0;

    for (int k = 0; k < PORT_TENSOR; k++)
        most = fmax(most, fabs(b->epsilon[k] - a->epsilon[k]) * a->mu);
    return most <= SAME * port_medium_greatest(a) && fabs(b->mu / a->mu - 1.0) <= SAME;
}

// The same medium on both sides of each face.
static sedge_status check_media(const sedge_problem *problem, const char *surface,
                                const sedge_surface_shape *shape, double omega,
                                const double axes[2][3])
{
    for (int64_t i = 0; i < shape->count; i++) {
        const int *const volumes = shape->volumes[i];
        port_medium m[2];

        for (int k = 0; k < 2; k++) {
            const int v = volumes[k] < 0 ? volumes[1 - k] : volumes[k];
            SEDGE_TRY(check_medium(&m[k], problem, surface, v, omega, axes));
        }
        if (are_same(&m[0], &m[1])) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: a face of the port lies between media with epsilon %.6g "
                          "and %.6g along the guide, mu %.6g and %.6g: the guide must go on behind "
                          "the port as it is before",
                          surface, m[0].epsilon[PORT_ALONG], m[1].epsilon[PORT_ALONG], m[0].mu,
                          m[1].mu);
    }
    return SEDGE_OK;
}

// Of the whole cross-section.
static sedge_status fit_whole(const sedge_problem *problem, const char *surface,
                              const sedge_surface_shape *shape, double *p)
{
    shape_plane plane;
    double axes[2][3];
    int volume = 0;

    SEDGE_TRY(shape_fit_plane(&plane, surface, shape));
    SEDGE_TRY(port_fit_direction(p, &plane, surface));
    SEDGE_TRY(port_fit_axes(p, p + GUIDE_AXIS, &plane, surface, shape));
    SEDGE_TRY(port_fit_medium(&volume, problem, surface, shape, false));
    memcpy(axes[0], p + PORT_U, sizeof axes[0]);
    memcpy(axes[1], p + PORT_V, sizeof axes[1]);
    SEDGE_TRY(check_media(problem, surface, shape, 2.0 * PORT_PI * p[HYBRID_FREQUENCY],
                          (const double(*)[3])axes));
    memcpy(p + PORT_ORIGIN, shape->triangles[0], 3 * sizeof *p);
    p[PORT_PROFILE] = PORT_FOUND_HYBRID;
    p[PORT_CONDUCTANCE] = 0.0;
    return SEDGE_OK;
}

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    port_whole whole;
    sedge_status status = port_whole_create(&whole, problem, surface, shape);

    if (status == SEDGE_OK) status = fit_whole(problem, surface, &whole.shape, p);
    port_whole_clear(&whole);
    return status;
}

static void describe(char text[160], const double *p, double hertz)
{
    char rim[64] = "";

    (void)hertz;
    if (p[HYBRID_RIM] > 0.0)
        (void)snprintf(rim, sizeof rim, ", E at its outline %.2g of the greatest", p[HYBRID_RIM]);
    (void)snprintf(text, 160,
                   "mode %g: index %.6g, group index %.5g, %.3g %% of the power in the "
                   "densest medium%s",
                   p[HYBRID_MODE], p[PORT_INDEX], p[HYBRID_GROUP], 100.0 * p[HYBRID_INSIDE], rim);
}

const sedge_face_kind sedge_face_mode_port = {
    .equation = "maxwell",
    .kind = {PORT_COMMON, .name = "mode-port", .function = "maxwell_port",
             .apply_two_sided = maxwell_port, .into = GUIDE_DIRECTION, .shares = true,
             .parameters = port_mode_parameters, .parameter_count = PORT_MODE_PARAMETERS,
             .text = "port of a mode of a guide of several media, such as a dielectric waveguide "
                     "or a fibre, on a plane inside the mesh across the guide, whose outline may "
                     "be open; behind it the guide goes on and ends in a perfectly matched layer; "
                     "sources of type port drive it"}};
