// The table of Poisson's equation, the field of charges and conductors: keys, conditions, known
// solutions. src/elliptic solves it.
#include "dg/problem.h"

#include "poisson_physics.h"

#include <string.h>

SEDGE_EQUATION_HEADER(poisson);

#define COUNT_OF(table) ((int)(sizeof(table) / sizeof *(table)))

enum { MATERIAL_EPSILON, MATERIAL_CHARGE, MATERIAL_VALUES };

static const char *const field_names[] = {"potential", "Ex", "Ey", "Ez"};

static const sedge_output_group groups[] = {
    {.name = "potential", .first = 0, .count = 1, .unit_si = "V", .si = 1.0},
    {.name = "E", .first = 1, .count = 3, .unit_si = "V/m", .si = 1.0},
};

// ---- materials ---------------------------------------------------------------------------------

static const sedge_parameter materials[] = {
    {.name = "epsilon", .fallback = {1.0}, .positive = true, .text = "permittivity"},
    {.name = "charge", .text = "charge density, the same everywhere in the group"},
};

static void derive(const double *deck, double *m)
{
    m[MATERIAL_EPSILON] = deck[0];
    m[MATERIAL_CHARGE] = deck[1];
}

static void get_energy(const double *m, double *weights)
{
    weights[0] = 0.0;
    for (int d = 1; d < 4; d++) weights[d] = m[MATERIAL_EPSILON];
}

static const sedge_parameter flux_keys[] = {
    {.name = "penalty",
     .fallback = {1.0},
     .minimum = 0.6,
     .maximum = 100.0,
     .text = "of jumps, times the sharp constant; larger is safer on bad meshes, and slower"},
};

static void set_constants(const double *keys, const double *incident, double *c)
{
    c[0] = keys[0];
    (void)incident;
}

// ---- known solutions ---------------------------------------------------------------------------

typedef void (*known_function)(const double *x, double eps, const double *p, poisson_known *out);

static void know_zero(const double *x, double eps, const double *p, poisson_known *out)
{
    memset(out, 0, sizeof *out);
    (void)x, (void)eps, (void)p;
}

// u and E = -grad u.
static void fill(known_function known, const double *x, const double *m, const double *p, double *u)
{
    poisson_known at;

    known(x, m[MATERIAL_EPSILON], p, &at);
    u[0] = at.u;
    for (int d = 0; d < 3; d++) u[1 + d] = -at.slope[d];
}

#define POISSON_APPLY(name, known)                                                                 \
    static void name(const double *x, double t, const double *m, const double *p, const double *c, \
                     double *u)                                                                    \
    {                                                                                              \
        fill(known, x, m, p, u);                                                                   \
        (void)t, (void)c;                                                                          \
    }
POISSON_APPLY(apply_zero, know_zero)
POISSON_APPLY(apply_sine, poisson_sine)
POISSON_APPLY(apply_wave, poisson_wave)
POISSON_APPLY(apply_power, poisson_power)
POISSON_APPLY(apply_layers, poisson_layers)

static const sedge_parameter sine_parameters[] = {
    {.name = "waves",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 1.0, 1.0},
     .text = "half waves a unit of length along x, y, z"},
};

static const sedge_parameter wave_parameters[] = {
    {.name = "rates",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 2.0, 1.5},
     .text = "a, b, c of exp(a x) cos(b y) sin(c z + 0.3)"},
};

static const sedge_parameter power_parameters[] = {
    {.name = "degree",
     .type = SEDGE_PARAMETER_INTEGER,
     .fallback = {1.0},
     .maximum = 8.0,
     .text = "n of (0.5 + d.x)^n"},
    {.name = "direction",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {0.5, -0.3, 0.7},
     .text = "d of (0.5 + d.x)^n"},
};

static const sedge_parameter layers_parameters[] = {
    {.name = "wave",
     .fallback = {1.0},
     .text = "k of cos(pi x) cos(pi y) sin(pi k (z - s)) / epsilon"},
    {.name = "split", .fallback = {0.5}, .text = "s: where epsilon jumps"},
};

static const sedge_initial_kind initials[] = {
    {.name = "zero", .apply = apply_zero, .text = "no solution is known", .zero = true},
    {.name = "sine",
     .apply = apply_sine,
     .exact = true,
     .parameters = sine_parameters,
     .parameter_count = COUNT_OF(sine_parameters),
     .text = "a product of sines"},
    {.name = "wave",
     .apply = apply_wave,
     .exact = true,
     .parameters = wave_parameters,
     .parameter_count = COUNT_OF(wave_parameters),
     .text = "an exponential times waves"},
    {.name = "power",
     .apply = apply_power,
     .exact = true,
     .parameters = power_parameters,
     .parameter_count = COUNT_OF(power_parameters),
     .text = "a polynomial, which elements of its degree and above have exactly"},
    {.name = "layers",
     .apply = apply_layers,
     .exact = true,
     .parameters = layers_parameters,
     .parameter_count = COUNT_OF(layers_parameters),
     .text = "two layers along z with different epsilon"},
};

// In the order of `initials`.
static const known_function known_functions[] = {know_zero, poisson_sine, poisson_wave,
                                                 poisson_power, poisson_layers};

static void get_known(poisson_known *out, const sedge_problem *problem, const double *m,
                      const double *x)
{
    if (problem->initial == NULL) {
        know_zero(x, 1.0, NULL, out);
    } else {
        known_functions[problem->initial - initials](x, m[MATERIAL_EPSILON],
                                                     problem->initial_parameters, out);
    }
}

// ---- conditions --------------------------------------------------------------------------------

static const sedge_parameter dirichlet_parameters[] = {
    {.name = "value", .text = "the potential"},
};

static const sedge_parameter neumann_parameters[] = {
    {.name = "value", .text = "epsilon du/dn, n outward: a surface charge"},
};

static const sedge_parameter robin_parameters[] = {
    {.name = "factor", .required = true, .maximum = HUGE_VAL, .text = "the factor of u"},
    {.name = "value", .text = "the right-hand side"},
};

enum { KIND_DIRICHLET, KIND_NEUMANN, KIND_ROBIN, KIND_KNOWN, KIND_KNOWN_FLUX };

static const sedge_boundary_kind boundaries[] = {
    [KIND_DIRICHLET] = {.name = "dirichlet",
                        .parameters = dirichlet_parameters,
                        .parameter_count = COUNT_OF(dirichlet_parameters),
                        .text = "a conductor held at a potential"},
    [KIND_NEUMANN] = {.name = "neumann",
                      .parameters = neumann_parameters,
                      .parameter_count = COUNT_OF(neumann_parameters),
                      .text = "a given normal derivative; 0: a plane of symmetry, or insulation"},
    [KIND_ROBIN] = {.name = "robin",
                    .parameters = robin_parameters,
                    .parameter_count = COUNT_OF(robin_parameters),
                    .text = "epsilon du/dn + factor u = value, n outward: a conductor behind a "
                            "thin layer; far away, with factor epsilon / distance, open space "
                            "around a charge"},
    [KIND_KNOWN] = {.name = "known", .text = "the potential of the known solution (initial)"},
    [KIND_KNOWN_FLUX] = {.name = "known-flux",
                         .text = "the normal derivative of the known solution (initial)"},
};

static void get_condition(sedge_condition *out, const sedge_problem *problem, int surface,
                          const double *m, const double *x, const double *n)
{
    const sedge_boundary *const boundary = &problem->boundaries[surface];
    const double *const p = boundary->parameters;
    poisson_known known;

    *out = (sedge_condition){.fixed = false};
    switch ((int)(boundary->kind - boundaries)) {
    case KIND_DIRICHLET:
        *out = (sedge_condition){.fixed = true, .value = p[0]};
        break;
    case KIND_NEUMANN:
        out->value = p[0];
        break;
    case KIND_ROBIN:
        *out = (sedge_condition){.factor = p[0], .value = p[1]};
        break;
    case KIND_KNOWN:
        get_known(&known, problem, m, x);
        *out = (sedge_condition){.fixed = true, .value = known.u};
        break;
    default:
        get_known(&known, problem, m, x);
        for (int d = 0; d < 3; d++) out->value += m[MATERIAL_EPSILON] * n[d] * known.slope[d];
        break;
    }
}

static sedge_contradiction contradiction(const sedge_problem *problem)
{
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        if (kind == NULL || problem->initial == NULL || problem->initial != &initials[0]) continue;
        if (kind == &boundaries[KIND_KNOWN] || kind == &boundaries[KIND_KNOWN_FLUX]) {
            return (sedge_contradiction){"a boundary of type known or known-flux needs a known "
                                         "solution: give initial a type other than zero",
                                         SEDGE_AT_BOUNDARY, s};
        }
    }
    return (sedge_contradiction){.text = NULL};
}

// ---- sources -----------------------------------------------------------------------------------

static double get_coefficient(const double *m)
{
    return m[MATERIAL_EPSILON];
}

static double get_source(const sedge_problem *problem, const double *m, const double *x)
{
    poisson_known known;

    get_known(&known, problem, m, x);
    return m[MATERIAL_CHARGE] - m[MATERIAL_EPSILON] * known.laplacian;
}

static const sedge_parameter charge_parameters[] = {
    {.name = "position",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .dimension = SEDGE_LENGTH,
     .text = "of the charge, or of its ball's centre"},
    {.name = "amount", .required = true, .text = "the charge"},
    {.name = "radius",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_LENGTH,
     .text = "of a ball that the charge fills evenly; 0: a point"},
};

static const sedge_source_kind sources[] = {
    {.name = "charge",
     .type = SEDGE_SOURCE_BALL,
     .parameters = charge_parameters,
     .parameter_count = COUNT_OF(charge_parameters),
     .text = "a charge at a point or in a ball"},
};

static const sedge_elliptic_equation elliptic = {
    .coefficient = get_coefficient, .source = get_source, .condition = get_condition};

const sedge_equation sedge_equation_poisson = {
    .name = "poisson",
    .text = "Poisson's equation -div(epsilon grad u) = charge, electrostatics; it has no time, and "
            "is solved at orders 1 to 8",
    .header = "poisson_physics.h",
    .header_text = sedge_text_poisson_physics_h,
    .fields = 4,
    .field_names = field_names,
    .linear = true,
    .groups = groups,
    .group_count = COUNT_OF(groups),
    .materials = materials,
    .material_count = COUNT_OF(materials),
    .material_values = MATERIAL_VALUES,
    .derive = derive,
    .flux_keys = flux_keys,
    .flux_key_count = COUNT_OF(flux_keys),
    .constant_count = 1,
    .constants = set_constants,
    .elliptic = &elliptic,
    .energy = get_energy,
    .boundaries = boundaries,
    .boundary_count = COUNT_OF(boundaries),
    .initials = initials,
    .initial_count = COUNT_OF(initials),
    .sources = sources,
    .source_count = COUNT_OF(sources),
    .contradiction = contradiction,
};
