// Free charges in a static magnetic field: a plasma such as the ionosphere, or a semiconductor. For
// fields exp(i omega t) that travel along or against the static field (along z), with E along
// x - i y, epsilon becomes epsilon - omega_p^2 / (omega (omega - omega_c - i gamma)), and for E
// along x + i y the same with + omega_c.
#include "dg/term_kind.h"

#include "maxwell_physics.h"

#include "gyrotropic_term.h"

extern const char sedge_text_gyrotropic_term_h[];

static const sedge_parameter parameters[] = {
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
    {.name = "cyclotron_frequency",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .dimension = SEDGE_FREQUENCY,
     .text = "for electrons e B / (2 pi m), along the static field B; for positive charges against "
             "it"},
};

// Across the field the fields and currents alone have lambda^2 + (gamma -+ i omega_c) lambda +
// omega_p^2 / epsilon = 0.
static double find_rate(const double *m, const double *p)
{
    (void)m;
    return GYROTROPIC_TURN * p[1];
}

static double find_oscillation(const double *m, const double *p)
{
    const double half = 0.5 * sqrt(p[2] * p[2] + p[3] * p[3] + p[4] * p[4]);

    return GYROTROPIC_TURN * (half + sqrt(half * half + p[0] * p[0] * m[MAXWELL_INVERSE_EPSILON]));
}

// As without the static field, which does no work.
static void find_energy(const double *m, const double *p, double *weights)
{
    const double plasma = GYROTROPIC_TURN * p[0];

    (void)m;
    for (int i = 0; i < 3; i++) weights[i] = 1.0 / (plasma * plasma);
}

const sedge_term_kind sedge_term_magnetised_plasma = {
    .name = "magnetised_plasma",
    .equation = "maxwell",
    .text = "free charges in a static magnetic field",
    .parameters = parameters,
    .parameter_count = (int)(sizeof parameters / sizeof *parameters),
    .poles = SEDGE_MAX_POLES,
    .memory = 3,
    .function = "magnetised_plasma_local",
    .header = "gyrotropic_term.h",
    .header_text = sedge_text_gyrotropic_term_h,
    .local = magnetised_plasma_local,
    .rate = find_rate,
    .oscillation = find_oscillation,
    .energy = find_energy,
    .linear = true,
};
