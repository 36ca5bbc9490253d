// The perfectly matched layer in a corner of the box, of lossless media (pml_term.h).
#include "pml.h"

const sedge_term_kind sedge_term_pml_lossless_corner = {
    .name = "pml-lossless-corner",
    .equation = "maxwell",
    .text = "a perfectly matched layer in a corner of the box, of a lossless medium",
    .parameters = pml_parameters,
    .parameter_count = PML_PARAMETERS,
    .memory = 0,
    .function = "pml_lossless_corner_local",
    .header = "pml_term.h",
    .header_text = sedge_text_pml_term_h,
    .local = pml_lossless_corner_local,
    .layer = 3,
    .lossless = true,
    .rate = pml_rate,
    .linear = true};
