// The perfectly matched layer on one side of the box (pml_term.h).
#include "pml.h"

const sedge_term_kind sedge_term_pml_side = {.name = "pml-side",
                                             .equation = "maxwell",
                                             .text =
                                                 "a perfectly matched layer on one side of the box",
                                             .parameters = pml_parameters,
                                             .parameter_count = PML_PARAMETERS,
                                             .memory = 6,
                                             .function = "pml_side_local",
                                             .header = "pml_term.h",
                                             .header_text = sedge_text_pml_term_h,
                                             .local = pml_side_local,
                                             .layer = 1,
                                             .drive = "pml_drive",
                                             .drive_local = pml_drive,
                                             .rate = pml_rate,
                                             .linear = true};
