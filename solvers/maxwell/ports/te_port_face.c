// A port of a rectangular or round waveguide: a transverse electric mode enters there, and leaves.
#include "port_fit.h"

#include <stdio.h>

static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    return port_fit_guide(problem, surface, shape, p, PORT_TE);
}

static void describe(char text[160], const double *p, double hertz)
{
    port_describe_guide(text, "TE", p, hertz);
}

const sedge_face_kind sedge_face_te_port = {
    .equation = "maxwell",
    .kind = {.name = "te-port",
             .function = "maxwell_port",
             .apply_two_sided = maxwell_port,
             .fit = fit,
             .linear = true,
             .driven = PORT_SIGNAL,
             .guided = true,
             .describe = describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = port_guide_parameters,
             .parameter_count = PORT_GUIDE_PARAMETERS,
             .text = "port of a rectangular or round waveguide for its mode TEmn, on a plane "
                     "inside the mesh "
                     "that is all of the guide's cross-section; behind it the guide goes on and "
                     "ends in a perfectly matched layer; sources of type port drive it"}};
