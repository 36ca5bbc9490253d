// The perfectly matched layer around a sphere, of lossless media (pml_term.h).
#include "pml.h"

#include "mesh/mesh.h"

const sedge_term_kind sedge_term_pml_lossless_radial = {
    .name = "pml-lossless-radial",
    .equation = "maxwell",
    .text = "a perfectly matched layer around a sphere, of a lossless medium",
    .parameters = pml_parameters,
    .parameter_count = PML_PARAMETERS,
    .memory = 2 + SEDGE_LAYER_FRAME,
    .function = "pml_lossless_radial_local",
    .header = "pml_term.h",
    .header_text = sedge_text_pml_term_h,
    .local = pml_lossless_radial_local,
    .layer = SEDGE_LAYER_KINDS,
    .lossless = true,
    .rate = pml_radial_rate};
