// What drives a sheet of current.
#include "dg/equation.h"

static const sedge_parameter parameters[] = {
    {.name = "surface",
     .type = SEDGE_PARAMETER_SURFACE,
     .required = true,
     .text = "the sheet: an entry of `boundaries` with this type"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_FIELD,
     .text = "times the sheet's polarisation: E of the waves that go straight away from it. With a "
             "wave vector they have the phase exp(-i k.x) along the sheet; E along the sheet is "
             "then E of the signal divided by the cosine of the angle to the normal, where E is "
             "across the plane of incidence, and times it where E is in that plane"},
};

const sedge_source_kind sedge_source_wave_sheet = {
    .name = "wave-sheet",
    .equation = "maxwell",
    .type = SEDGE_SOURCE_SURFACE,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .text = "plane waves from a sheet of current, with a wave vector at an angle"};
