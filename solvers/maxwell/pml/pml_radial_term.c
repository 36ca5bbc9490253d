// The perfectly matched layer along rays (pml_term.h).
#include "pml.h"

#include "mesh/mesh.h"

const sedge_term_kind sedge_term_pml_radial = {.name = "pml-radial",
                                               .equation = "maxwell",
                                               .text = "a perfectly matched layer along rays",
                                               .parameters = pml_parameters,
                                               .parameter_count = PML_PARAMETERS,
                                               .memory = 8 + SEDGE_LAYER_FRAME,
                                               .function = "pml_radial_local",
                                               .header = "pml_term.h",
                                               .header_text = sedge_text_pml_term_h,
                                               .local = pml_radial_local,
                                               .layer = SEDGE_LAYER_KINDS,
                                               .drive = "pml_radial_drive",
                                               .drive_local = pml_radial_drive,
                                               .rate = pml_radial_rate,
                                               .linear = true};
