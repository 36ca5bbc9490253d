// The perfectly matched layer along an edge of the box (pml_term.h).
#include "pml.h"

const sedge_term_kind sedge_term_pml_edge = {
    .name = "pml-edge",
    .equation = "maxwell",
    .text = "a perfectly matched layer along an edge of the box",
    .parameters = pml_parameters,
    .parameter_count = PML_PARAMETERS,
    .memory = 4,
    .function = "pml_edge_local",
    .header = "pml_term.h",
    .header_text = sedge_text_pml_term_h,
    .local = pml_edge_local,
    .layer = 2,
    .drive = "pml_edge_drive",
    .drive_local = pml_edge_drive,
    .rate = pml_rate,
    .linear = true};
