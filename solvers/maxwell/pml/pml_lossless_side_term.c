// The perfectly matched layer on one side of the box, of lossless media (pml_term.h).
#include "pml.h"

const sedge_term_kind sedge_term_pml_lossless_side = {
    .name = "pml-lossless-side",
    .equation = "maxwell",
    .text = "a perfectly matched layer on one side of the box, of a lossless medium",
    .parameters = pml_parameters,
    .parameter_count = PML_PARAMETERS,
    .memory = 2,
    .function = "pml_lossless_side_local",
    .header = "pml_term.h",
    .header_text = sedge_text_pml_term_h,
    .local = pml_lossless_side_local,
    .layer = 1,
    .lossless = true,
    .rate = pml_rate,
    .linear = true};
