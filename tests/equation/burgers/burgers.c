// An equation that lies outside src/ and solvers/: the proof that none of them need be touched.
#include "dg/problem.h"

#include "burgers_physics.h"

SEDGE_EQUATION_HEADER(burgers);

static const sedge_parameter flux_keys[] = {
    {.name = "direction", .type = SEDGE_PARAMETER_VECTOR, .required = true, .text = "of the flow"},
    {.name = "bound", .required = true, .positive = true, .text = "no |u| is greater"},
};

static void set_constants(const double *keys, const double *incident, double *c)
{
    for (int i = 0; i < 4; i++) c[i] = keys[i];
    (void)incident;
}

static double get_speed(const double *m, const double *c)
{
    (void)m;
    return c[3] * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

static void get_energy(const double *m, double *weights)
{
    (void)m;
    weights[0] = 1.0;
}

static const sedge_parameter sine_parameters[] = {
    {.name = "waves", .type = SEDGE_PARAMETER_INTEGERS, .required = true, .text = "per length"},
    {.name = "mean", .text = "mean value"},
    {.name = "amplitude", .fallback = {1.0}, .text = "of the wave"},
};

// u is constant along characteristics: u = mean + a sin(K.(x - d u t)), by Newton's method. Up to
// the first shock, at a |K.d| t = 1, the function whose zero is sought increases with u.
static void apply_sine(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    const double tau = 2.0 * 3.14159265358979323846;
    const double mean = p[3];
    const double amplitude = p[4];
    const double phase = tau * (p[0] * x[0] + p[1] * x[1] + p[2] * x[2]);
    const double rate = tau * (p[0] * c[0] + p[1] * c[1] + p[2] * c[2]) * t;
    double value = mean + amplitude * sin(phase - rate * mean);

    for (int i = 0; i < 100; i++) {
        const double angle = phase - rate * value;
        const double f = value - mean - amplitude * sin(angle);
        const double step = f / (1.0 + amplitude * rate * cos(angle));
        value -= step;
        if (fabs(step) < 1e-15) break;
    }
    u[0] = value;
    (void)m;
}

static const sedge_initial_kind initials[] = {
    {.name = "sine",
     .apply = apply_sine,
     .exact = true,
     .parameters = sine_parameters,
     .parameter_count = 3,
     .text = "a wave that steepens; exact before the shock",
     .wave = sedge_turns},
};

static const sedge_parameter fixed_parameters[] = {{.name = "value", .text = "of u"}};

static const sedge_boundary_kind boundaries[] = {
    {.name = "fixed",
     .function = "burgers_fixed",
     .apply = burgers_fixed,
     .parameters = fixed_parameters,
     .parameter_count = 1,
     .text = "a given value",
     .linear = true},
};

static const char *const field_names[] = {"u"};
static const sedge_output_group groups[] = {{.name = "u", .count = 1, .unit_si = "1", .si = 1.0}};

const sedge_equation sedge_equation_burgers = {
    .name = "burgers",
    .text = "one nonlinear field that carries itself",
    .header = "burgers_physics.h",
    .header_text = sedge_text_burgers_physics_h,
    .fields = 1,
    .field_names = field_names,
    .linear = false,
    .groups = groups,
    .group_count = 1,
    .flux_keys = flux_keys,
    .flux_key_count = 2,
    .constant_count = 4,
    .constants = set_constants,
    .flux = burgers_flux,
    .surface = burgers_surface,
    .speed = get_speed,
    .energy = get_energy,
    .boundaries = boundaries,
    .boundary_count = 1,
    .initials = initials,
    .initial_count = 1,
};
