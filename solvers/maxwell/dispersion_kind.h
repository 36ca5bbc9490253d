// What the kinds of poles, debye, drude and lorentz and their magnetic twins, share: parameters,
// rates and the table's entries. dispersion_term.h has the laws.
//
// Frequencies of the deck are in cycles per time: gamma/(2 pi) in place of gamma, so that a photon
// energy divided by Planck's constant is such a number. The relative permittivity at the angular
// frequency omega, for fields exp(i omega t), is epsilon of the material plus
//
//   debye    strength / (1 + i omega tau)
//   drude    -omega_p^2 / (omega^2 - i gamma omega)
//   lorentz  strength omega_0^2 / (omega_0^2 - omega^2 + i gamma omega)
#pragma once

#include "dg/term_kind.h"

#include "maxwell_physics.h"

#include "dispersion_term.h"

extern const char sedge_text_dispersion_term_h[];

#define DISPERSION_LIST __attribute__((unused)) static const sedge_parameter

DISPERSION_LIST debye_parameters[] = {
    {.name = "strength",
     .required = true,
     .positive = true,
     .text = "what the pole adds at frequency 0"},
    {.name = "relaxation_time",
     .required = true,
     .positive = true,
     .dimension = SEDGE_TIME,
     .text = "tau: the loss is largest at the frequency 1 / (2 pi tau)"},
};
DISPERSION_LIST drude_parameters[] = {
    {.name = "plasma_frequency",
     .required = true,
     .positive = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "omega_p / (2 pi)"},
    {.name = "damping",
     .required = true,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "gamma / (2 pi), where gamma is the rate of collisions"},
};
DISPERSION_LIST lorentz_parameters[] = {
    {.name = "strength",
     .required = true,
     .positive = true,
     .text = "what the pole adds at frequency 0"},
    {.name = "frequency",
     .required = true,
     .positive = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "of the resonance: omega_0 / (2 pi)"},
    {.name = "damping",
     .required = true,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "gamma / (2 pi): the full width of the resonance"},
};

// The roots of lambda^2 + gamma lambda + omega^2 = 0: of two decays the faster one, or the decay of
// an oscillation and its angular frequency.
SEDGE_FUNCTION double dispersion_rate(double omega, double gamma)
{
    return 0.5 * gamma + sqrt(fmax(0.25 * gamma * gamma - omega * omega, 0.0));
}

SEDGE_FUNCTION double dispersion_oscillation(double omega, double gamma)
{
    return sqrt(fmax(omega * omega - 0.25 * gamma * gamma, 0.0));
}

// The eigenvalues of a pole with its field alone, at fixed curls; `inverse` as in the laws.
SEDGE_FUNCTION double debye_rate(double inverse, const double *p)
{
    return (1.0 + p[0] * inverse) / p[1];
}

SEDGE_FUNCTION double debye_oscillation(double inverse, const double *p)
{
    (void)inverse;
    (void)p;
    return 0.0;
}

SEDGE_FUNCTION double drude_rate(double inverse, const double *p)
{
    return DISPERSION_TURN * dispersion_rate(p[0] * sqrt(inverse), p[1]);
}

SEDGE_FUNCTION double drude_oscillation(double inverse, const double *p)
{
    return DISPERSION_TURN * dispersion_oscillation(p[0] * sqrt(inverse), p[1]);
}

SEDGE_FUNCTION double lorentz_rate(double inverse, const double *p)
{
    return DISPERSION_TURN * dispersion_rate(p[1] * sqrt(1.0 + p[0] * inverse), p[2]);
}

SEDGE_FUNCTION double lorentz_oscillation(double inverse, const double *p)
{
    return DISPERSION_TURN * dispersion_oscillation(p[1] * sqrt(1.0 + p[0] * inverse), p[2]);
}

// The energy density of a pole's memory is 1/2 sum_k weights_k w_k^2. Poynting's theorem with the
// laws' equations: the fields' energy and this one together change by -gamma |dP/dt|^2 or the like.
SEDGE_FUNCTION void debye_energy(const double *p, double *weights)
{
    for (int i = 0; i < 3; i++) weights[i] = 1.0 / p[0];
}

SEDGE_FUNCTION void drude_energy(const double *p, double *weights)
{
    const double plasma = DISPERSION_TURN * p[0];

    for (int i = 0; i < 3; i++) weights[i] = 1.0 / (plasma * plasma);
}

SEDGE_FUNCTION void lorentz_energy(const double *p, double *weights)
{
    const double resonance = DISPERSION_TURN * p[1];

    for (int i = 0; i < 3; i++) {
        weights[i] = 1.0 / p[0];
        weights[3 + i] = 1.0 / (p[0] * resonance * resonance);
    }
}

// Define the kind `kind` of the law `law`; `value` is the material's value 1/epsilon or 1/mu, and
// `decays` whether the law has relaxations alone (sedge_term_kind.relaxes).
#define DISPERSION_KIND(kind, law, value, components, decays, sentence)               \
    static double find_rate(const double *m, const double *p)                         \
    {                                                                                 \
        return law##_rate(m[value], p);                                               \
    }                                                                                 \
    static double find_oscillation(const double *m, const double *p)                  \
    {                                                                                 \
        return law##_oscillation(m[value], p);                                        \
    }                                                                                 \
    static void find_energy(const double *m, const double *p, double *weights)        \
    {                                                                                 \
        (void)m;                                                                      \
        law##_energy(p, weights);                                                     \
    }                                                                                 \
    const sedge_term_kind sedge_term_##kind = {                                       \
        .name = #kind,                                                                \
        .equation = "maxwell",                                                        \
        .text = sentence,                                                             \
        .parameters = law##_parameters,                                               \
        .parameter_count = (int)(sizeof law##_parameters / sizeof *law##_parameters), \
        .poles = SEDGE_MAX_POLES,                                                     \
        .memory = components,                                                         \
        .function = #kind "_local",                                                   \
        .header = "dispersion_term.h",                                                \
        .header_text = sedge_text_dispersion_term_h,                                  \
        .local = kind##_local,                                                        \
        .rate = find_rate,                                                            \
        .oscillation = find_oscillation,                                              \
        .energy = find_energy,                                                        \
        .field_triple = 1 + ((value) == MAXWELL_INVERSE_EPSILON ? 0 : 3),             \
        .relaxes = decays,                                                            \
        .linear = true}
