// The perfectly matched layer in a corner of the box (pml_term.h).
#include "pml.h"

const sedge_term_kind sedge_term_pml_corner = {
    .name = "pml-corner",
    .equation = "maxwell",
    .text = "a perfectly matched layer in a corner of the box",
    .parameters = pml_parameters,
    .parameter_count = PML_PARAMETERS,
    .memory = 6,
    .function = "pml_corner_local",
    .header = "pml_term.h",
    .header_text = sedge_text_pml_term_h,
    .local = pml_corner_local,
    .layer = 3,
    .drive = "pml_drive",
    .drive_local = pml_drive,
    .rate = pml_rate,
    .linear = true};
