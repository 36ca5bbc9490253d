// What drives a port.
#include "dg/equation.h"

static const sedge_parameter parameters[] = {
    {.name = "surface",
     .type = SEDGE_PARAMETER_SURFACE,
     .required = true,
     .text = "the port: an entry of `boundaries` with such a type"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_VOLTAGE,
     .text = "voltage of the wave that enters the port: half that of the source behind a lumped or "
             "coaxial port; of a waveguide's mode, well above its cut-off, the square root of the "
             "integral of the electric field squared over the cross-section"},
};

const sedge_source_kind sedge_source_port = {.name = "port",
                                             .equation = "maxwell",
                                             .type = SEDGE_SOURCE_SURFACE,
                                             .parameters = parameters,
                                             .parameter_count =
                                                 sizeof parameters / sizeof *parameters,
                                             .text = "a wave that enters the mesh through a port"};
