// What the terms of a perfectly matched layer share.
#pragma once

#include "dg/term_kind.h"

#include "pml_term.h"

extern const char sedge_text_pml_term_h[];

#define PML_PARAMETERS 3
static const sedge_parameter pml_parameters[PML_PARAMETERS] = {
    {.name = "sigma", .text = "rate of absorption"},
    {.name = "alpha", .text = "rate below which it absorbs less"},
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .text = "normal of a side, direction of an edge"},
};

// With the fields alone, at fixed curls, the eigenvalues are 0 and -(alpha + sigma), or -alpha.
static inline double pml_rate(const double *m, const double *p)
{
    (void)m;
    return p[0] + p[1];
}

// The same at any angle between e and v where the layer begins: the largest is alpha + sigma. Twice
// that for the waves that oblique rays let grow, see least_cosine in mesh/radial.c.
static inline double pml_radial_rate(const double *m, const double *p)
{
    (void)m;
    return 2.0 * p[0] + p[1];
}
