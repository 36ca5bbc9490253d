// What the kinds of anisotropic media share (anisotropic_term.h).
#pragma once

#include "dg/dense.h"
#include "dg/term_kind.h"

#include "maxwell_physics.h"

#include "anisotropic_term.h"

extern const char sedge_text_anisotropic_term_h[];

#define ANISOTROPIC_PARAMETERS 2
__attribute__((
    unused)) static const sedge_parameter anisotropic_parameters[ANISOTROPIC_PARAMETERS] = {
    {.name = "diagonal", .type = SEDGE_PARAMETER_VECTOR, .text = "xx, yy, zz of the matrix"},
    {.name = "coupling", .type = SEDGE_PARAMETER_VECTOR, .text = "yz, zx, xy of the matrix"},
};

// p = least t^-1, by cofactors, where `least` is the least eigenvalue of the positive definite t.
__attribute__((unused)) static void anisotropic_invert(const double t[6], double *p, double *least)
{
    double values[3];

    sedge_symmetric_values(values, t);
    *least = values[0];
    const double scale = 1.0 / (values[1] * values[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        p[i] = scale * (t[j] * t[k] - t[3 + i] * t[3 + i]);
        p[3 + i] = scale * (t[3 + j] * t[3 + k] - t[i] * t[3 + i]);
    }
}
