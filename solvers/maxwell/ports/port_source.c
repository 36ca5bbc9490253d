// What drives a port.
#include "dg/equation.h"

static const sedge_parameter parameters[] = {
    {.name = "surface",
     .type = SEDGE_PARAMETER_SURFACE,
     .required = true,
     .text = "the port: a surface with such a type in `boundaries`"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_VOLTAGE,
     .text = "voltage of the wave that enters the port, over time; of a lumped port half the "
             "voltage of its source, of a waveguide's mode the field's amplitude well above its "
             "cut-off, whose integral over the cross-section squared is the voltage squared"},
};

const sedge_source_kind sedge_source_port = {.name = "port",
                                             .equation = "maxwell",
                                             .type = SEDGE_SOURCE_SURFACE,
                                             .parameters = parameters,
                                             .parameter_count =
                                                 sizeof parameters / sizeof *parameters,
                                             .text = "a wave that enters the mesh through a port"};
