// Advection, the smallest equation. To add another: copy this folder, rename, change; CMake finds
// solvers/<name>/<name>_physics.h and wants a table sedge_equation_<name>. Nothing else is touched.
#include "dg/problem.h"

#include "advection_physics.h"

SEDGE_EQUATION_HEADER(advection);

// Keys of the deck's `flux` section. Their numbers come as one array, here 3 + 1.
static const sedge_parameter flux_keys[] = {
    {.name = "velocity", .type = SEDGE_PARAMETER_VECTOR, .required = true, .text = "of the flow"},
    {.name = "upwind", .fallback = {1.0}, .maximum = 1.0, .text = "1 upwind, 0 central"},
};

static void set_constants(const double *keys, const double *incident, double *c)
{
    for (int i = 0; i < 4; i++) c[i] = keys[i];
    (void)incident;
}

// The fastest wave, for the time step.
static double get_speed(const double *m, const double *c)
{
    (void)m;
    return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

static void get_energy(const double *m, double *weights)
{
    (void)m;
    weights[0] = 1.0; // energy 1/2 u^2
}

// The exact solution is the initial state, carried along: u(x, t) = u0(x - a t).
static const sedge_parameter bump_parameters[] = {
    {.name = "centre", .type = SEDGE_PARAMETER_VECTOR, .required = true, .text = "of the bump"},
    {.name = "width", .required = true, .positive = true, .text = "radius where it falls to 1/e"},
};

static void apply_bump(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    u[0] = 1.0;
    for (int i = 0; i < 3; i++) u[0] *= exp(-pow((x[i] - c[i] * t - p[i]) / p[3], 2.0));
    (void)m;
}

static const sedge_parameter sine_parameters[] = {
    {.name = "waves", .type = SEDGE_PARAMETER_INTEGERS, .required = true, .text = "waves per unit"},
};

static void apply_sine(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    double turns = 0.0;

    for (int i = 0; i < 3; i++) turns += p[i] * (x[i] - c[i] * t);
    u[0] = sin(2.0 * 3.14159265358979323846 * turns);
    (void)m;
}

static const sedge_initial_kind initials[] = {
    {.name = "gaussian",
     .apply = apply_bump,
     .exact = true,
     .parameters = bump_parameters,
     .parameter_count = 2,
     .text = "a round bump"},
    {.name = "sine",
     .apply = apply_sine,
     .exact = true,
     .parameters = sine_parameters,
     .parameter_count = 1,
     .text = "a plane wave in a periodic box: sin(2 pi waves . x)",
     .wave = sedge_turns},
};

static const sedge_parameter inflow_parameters[] = {{.name = "value", .text = "what comes in"}};

static const sedge_boundary_kind boundaries[] = {
    {.name = "inflow",
     .function = "advection_inflow",
     .apply = advection_inflow,
     .parameters = inflow_parameters,
     .parameter_count = 1,
     .text = "where the flow enters",
     .linear = true},
    {.name = "outflow",
     .function = "advection_outflow",
     .apply = advection_outflow,
     .text = "where the flow leaves: open",
     .absorbs = true,
     .linear = true},
};

static const char *const field_names[] = {"u"};
static const sedge_output_group groups[] = {{.name = "u", .count = 1, .unit_si = "1", .si = 1.0}};

const sedge_equation sedge_equation_advection = {
    .name = "advection",
    .text = "one field carried by a constant velocity",
    .header = "advection_physics.h",
    .header_text = sedge_text_advection_physics_h,
    .fields = 1,
    .field_names = field_names,
    .linear = true,
    .groups = groups,
    .group_count = 1,
    .flux_keys = flux_keys,
    .flux_key_count = 2,
    .constant_count = 4,
    .constants = set_constants,
    .flux = advection_flux,
    .surface = advection_surface,
    .node_flops = 20.0, // the gradient from the element's coordinates 15, a.grad u 5
    .face_flops = 11.0, // a.n 5, the rest 6
    .speed = get_speed,
    .energy = get_energy,
    .boundaries = boundaries,
    .boundary_count = 2,
    .initials = initials,
    .initial_count = 2,
};
