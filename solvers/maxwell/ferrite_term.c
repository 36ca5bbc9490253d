// A ferrite that a static magnetic field saturates, by Polder's tensor. For fields exp(i omega t)
// that travel along or against the static field (along z), with H along x - i y, mu becomes
// mu + omega_m / (omega_0 - omega + i omega alpha), and for H along x + i y
// mu + omega_m / (omega_0 + omega + i omega alpha).
#include "dg/term_kind.h"

#include "maxwell_physics.h"

#include "gyrotropic_term.h"

extern const char sedge_text_gyrotropic_term_h[];

static const sedge_parameter parameters[] = {
    {.name = "magnetisation_frequency",
     .required = true,
     .positive = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "omega_m / (2 pi): the gyromagnetic ratio, 28.0 GHz/T for g = 2, times mu_0 times the "
             "saturation magnetisation"},
    {.name = "damping", .maximum = HUGE_VAL, .text = "alpha of Gilbert"},
    {.name = "precession_frequency",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "omega_0 / (2 pi), along the static field H inside of the ferrite: the gyromagnetic "
             "ratio times mu_0 H"},
};

#define LEAST 1e-15 // of a vector whose direction fp32 has

// Of the magnetisation with its field alone, H = -w / mu. Not-a-number: the vector is too short.
static double find_frequency(const double *m, const double *p)
{
    const double precession = sqrt(p[2] * p[2] + p[3] * p[3] + p[4] * p[4]);

    if (precession < LEAST) return (double)NAN;
    return GYROTROPIC_TURN * (precession + p[0] * m[MAXWELL_INVERSE_MU]) / (1.0 + p[1] * p[1]);
}

static double find_rate(const double *m, const double *p)
{
    return p[1] * find_frequency(m, p);
}

// d/dt 1/2 (mu H^2 + (omega_0 / omega_m) w^2) = q.dw/dt / omega_m + ..., q as in the law, and
// q.(b x q) = 0.
static void find_energy(const double *m, const double *p, double *weights)
{
    const double precession = sqrt(p[2] * p[2] + p[3] * p[3] + p[4] * p[4]);

    (void)m;
    for (int i = 0; i < 3; i++) weights[i] = precession / p[0];
}

const sedge_term_kind sedge_term_ferrite = {
    .name = "ferrite",
    .equation = "maxwell",
    .text = "the spins of a ferrite that a static magnetic field saturates",
    .parameters = parameters,
    .parameter_count = (int)(sizeof parameters / sizeof *parameters),
    .memory = 3,
    .function = "ferrite_local",
    .header = "gyrotropic_term.h",
    .header_text = sedge_text_gyrotropic_term_h,
    .local = ferrite_local,
    .rate = find_rate,
    .oscillation = find_frequency,
    .energy = find_energy,
    .linear = true,
};
