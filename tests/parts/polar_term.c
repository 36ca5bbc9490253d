// A Debye pole, the relaxation of polar liquids: the permittivity at the angular frequency omega is
// epsilon + eps_delta / (1 - i omega tau), with epsilon that of the material.
#include "dg/term_kind.h"

#include "maxwell/maxwell_physics.h"

#include "polar_term.h"

extern const char sedge_text_polar_term_h[];

// The eigenvalues of the pole with E alone are 0 and this.
static double find_rate(const double *m, const double *p)
{
    return (1.0 + p[0] * m[MAXWELL_INVERSE_EPSILON]) / p[1];
}

static const sedge_parameter parameters[] = {
    {.name = "eps_delta",
     .required = true,
     .positive = true,
     .text = "static permittivity less that of high frequencies"},
    {.name = "tau",
     .required = true,
     .positive = true,
     .dimension = SEDGE_TIME,
     .text = "relaxation time"},
};

const sedge_term_kind sedge_term_polar = {.name = "polar",
                                          .equation = "maxwell",
                                          .text = "a Debye pole of the permittivity",
                                          .parameters = parameters,
                                          .parameter_count = 2,
                                          .memory = 3,
                                          .function = "polar_local",
                                          .header = "polar_term.h",
                                          .header_text = sedge_text_polar_term_h,
                                          .local = polar_local,
                                          .rate = find_rate,
                                          .linear = true};
