// A permittivity that is a tensor.
#include "anisotropic.h"

const sedge_term_kind sedge_term_anisotropic_epsilon = {
    .name = "anisotropic_epsilon",
    .equation = "maxwell",
    .text = "a permittivity that is a tensor",
    .parameters = anisotropic_parameters,
    .parameter_count = ANISOTROPIC_PARAMETERS,
    .header = "anisotropic_term.h",
    .header_text = sedge_text_anisotropic_term_h,
    .multiply = "anisotropic_epsilon_multiply",
    .multiply_local = anisotropic_epsilon_multiply,
    .tensor = "epsilon",
    .from_tensor = anisotropic_invert,
    .linear = true,
};
