// A conductivity that is a tensor.
#include "anisotropic.h"

// The equation's own conductivity is 0 then.
static void take_tensor(const double t[6], double *p, double *number)
{
    for (int i = 0; i < 6; i++) p[i] = t[i];
    *number = 0.0;
}

// The fastest decay where epsilon is its least principal value.
static double find_rate(const double *m, const double *p)
{
    double values[3];

    sedge_symmetric_values(values, p);
    return m[MAXWELL_INVERSE_EPSILON] * values[2];
}

// No memory; principal values of at least 0 take energy away.
static void tell_energy(const double *m, const double *p, double *weights)
{
    (void)m, (void)p, (void)weights;
}

const sedge_term_kind sedge_term_anisotropic_conductivity = {
    .name = "anisotropic_conductivity",
    .equation = "maxwell",
    .text = "a conductivity that is a tensor",
    .parameters = anisotropic_parameters,
    .parameter_count = ANISOTROPIC_PARAMETERS,
    .function = "anisotropic_conductivity_local",
    .header = "anisotropic_term.h",
    .header_text = sedge_text_anisotropic_term_h,
    .local = anisotropic_conductivity_local,
    .tensor = "conductivity",
    .from_tensor = take_tensor,
    .rate = find_rate,
    .energy = tell_energy,
    .linear = true,
};
