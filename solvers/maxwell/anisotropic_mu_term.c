// A permeability that is a tensor.
#include "anisotropic.h"

const sedge_term_kind sedge_term_anisotropic_mu = {
    .name = "anisotropic_mu",
    .equation = "maxwell",
    .text = "a permeability that is a tensor",
    .parameters = anisotropic_parameters,
    .parameter_count = ANISOTROPIC_PARAMETERS,
    .header = "anisotropic_term.h",
    .header_text = sedge_text_anisotropic_term_h,
    .multiply = "anisotropic_mu_multiply",
    .multiply_local = anisotropic_mu_multiply,
    .tensor = "mu",
    .from_tensor = anisotropic_invert,
    .linear = true,
};
