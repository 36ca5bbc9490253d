// A small equation of the tests' own: every type of parameter, every kind of unit.
#pragma once

#include "base/file.h"
#include "check.h"
#include "deck/deck.h"
#include "dg/equation.h"
#include "dg/problem.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const sedge_parameter fake_materials[] = {
    {.name = "epsilon", .fallback = {1.0}, .positive = true, .text = "permittivity"},
    {.name = "mu", .required = true, .minimum = 0.5, .maximum = 20.0, .text = "permeability"},
    {.name = "sigma", .maximum = HUGE_VAL, .dimension = SEDGE_CONDUCTIVITY, .text = "conductivity"},
};

static const sedge_parameter fake_flux[] = {
    {.name = "upwind", .fallback = {1.0}, .maximum = 1.0, .text = "upwinding"},
};

static const sedge_parameter fake_impedance[] = {
    {.name = "impedance", .required = true, .dimension = SEDGE_RESISTANCE, .text = "impedance"},
};

// No deck is run here: the functions only stand in the table.
static void fake_apply(const double *u, const double *m, const double *n, const double *x, double t,
                       const double *p, const double *c, double *v)
{
    v[0] = 0.0;
    (void)u, (void)m, (void)n, (void)x, (void)t, (void)p, (void)c;
}

static void fake_initial(const double *x, double t, const double *m, const double *p,
                         const double *c, double *u)
{
    u[0] = 0.0;
    (void)x, (void)t, (void)m, (void)p, (void)c;
}

static void fake_point(const double *p, const double *m, double *weights)
{
    weights[0] = 0.0;
    (void)p, (void)m;
}

static void fake_flux_function(const double *u, const double *m, const double *c, double *fx,
                               double *fy, double *fz)
{
    fx[0] = fy[0] = fz[0] = 0.0;
    (void)u, (void)m, (void)c;
}

static void fake_surface(const double *u, const double *v, const double *mu, const double *mv,
                         const double *n, const double *c, double *jump)
{
    jump[0] = 0.0;
    (void)u, (void)v, (void)mu, (void)mv, (void)n, (void)c;
}

static double fake_speed(const double *m, const double *c)
{
    (void)m, (void)c;
    return 1.0;
}

static void fake_energy(const double *m, double *weights)
{
    weights[0] = 1.0;
    (void)m;
}

static const sedge_boundary_kind fake_boundaries[] = {
    {.name = "pec", .function = "fake_pec", .apply = fake_apply, .text = "a wall"},
    {.name = "absorbing", .function = "fake_absorbing", .apply = fake_apply, .text = "open"},
    {.name = "impedance",
     .function = "fake_impedance",
     .apply = fake_apply,
     .parameters = fake_impedance,
     .parameter_count = COUNT(fake_impedance),
     .text = "a lossy wall"},
};

static const sedge_parameter fake_mode[] = {
    {.name = "mode",
     .type = SEDGE_PARAMETER_INTEGERS,
     .fallback = {1.0, 1.0, 1.0},
     .maximum = 9.0,
     .text = "half waves"},
    {.name = "size",
     .type = SEDGE_PARAMETER_VECTOR,
     .fallback = {1.0, 1.0, 1.0},
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "of the box"},
};

static const sedge_initial_kind fake_initials[] = {
    {.name = "zero", .apply = fake_initial, .text = "nothing"},
    {.name = "mode",
     .apply = fake_initial,
     .exact = true,
     .parameters = fake_mode,
     .parameter_count = COUNT(fake_mode),
     .text = "a mode of a box",
     .wave = sedge_turns},
};

static const sedge_parameter fake_wave[] = {
    {.name = "direction",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "whither"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_FIELD,
     .text = "over time"},
};

static const sedge_parameter fake_dipole[] = {
    {.name = "position",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .dimension = SEDGE_LENGTH,
     .text = "where"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_CURRENT_MOMENT,
     .text = "over time"},
    {.name = "turns", .type = SEDGE_PARAMETER_INTEGER, .fallback = {3.0}, .text = "a count"},
};

static const sedge_source_kind fake_sources[] = {
    {.name = "plane-wave",
     .type = SEDGE_SOURCE_INCIDENT,
     .parameters = fake_wave,
     .parameter_count = COUNT(fake_wave),
     .text = "a wave",
     .wave = sedge_heading},
    {.name = "dipole",
     .type = SEDGE_SOURCE_POINT,
     .point = fake_point,
     .parameters = fake_dipole,
     .parameter_count = COUNT(fake_dipole),
     .text = "a dipole"},
};

static void fake_derive(const double *deck, double *m)
{
    m[0] = deck[0] * deck[1];
    m[1] = deck[2];
}

static void fake_constants(const double *keys, const double *incident, double *c)
{
    c[0] = keys[0];
    c[1] = incident != NULL ? incident[2] : -1.0;
}

// Two materials with a product of 666 contradict each other.
static sedge_contradiction fake_contradiction(const struct sedge_problem *problem)
{
    return (sedge_contradiction){
        problem->materials[0][0] == 666.0 ? "the number of the beast" : NULL, SEDGE_AT_MATERIAL, 0};
}

static const double fake_si[SEDGE_DIMENSIONS] = {
    [SEDGE_DIMENSIONLESS] = 1.0,   [SEDGE_LENGTH] = 1.0,         [SEDGE_TIME] = 3e8,
    [SEDGE_FREQUENCY] = 1.0 / 3e8, [SEDGE_VELOCITY] = 1.0,       [SEDGE_CONDUCTIVITY] = 376.7,
    [SEDGE_RESISTANCE] = 0.125,    [SEDGE_INDUCTANCE] = 8e5,     [SEDGE_CAPACITANCE] = 1e11,
    [SEDGE_FIELD] = 1.0,           [SEDGE_CURRENT_MOMENT] = 377, [SEDGE_VOLTAGE] = 1.0,
};

static const char *const fake_fields[] = {"Ex", "Ey", "Ez"};
static const sedge_output_group fake_groups[] = {{"E", 0, 3, "V/m", 1.0}};
static const sedge_output_group fake_group_of_one[] = {{"E", 0, 1, "V/m", 1.0}};

static const sedge_equation fake_maxwell = {
    .name = "maxwell",
    .text = "Equations of the tests",
    .header = "fake_physics.h",
    .header_text = "// nothing",
    .fields = 3,
    .field_names = fake_fields,
    .groups = fake_groups,
    .group_count = 1,
    .materials = fake_materials,
    .material_count = COUNT(fake_materials),
    .material_values = 2,
    .derive = fake_derive,
    .flux_keys = fake_flux,
    .flux_key_count = COUNT(fake_flux),
    .constant_count = 2,
    .constants = fake_constants,
    .flux = fake_flux_function,
    .surface = fake_surface,
    .speed = fake_speed,
    .energy = fake_energy,
    .boundaries = fake_boundaries,
    .boundary_count = COUNT(fake_boundaries),
    .initials = fake_initials,
    .initial_count = COUNT(fake_initials),
    .sources = fake_sources,
    .source_count = COUNT(fake_sources),
    .contradiction = fake_contradiction,
    .si = fake_si,
    .energy_si = 2.5,
};

// No materials, SI units, sources, contradictions; no kind "zero".
static const sedge_equation fake_advection = {
    .name = "advection",
    .text = "Another equation of the tests",
    .header = "fake_physics.h",
    .header_text = "// nothing",
    .fields = 1,
    .field_names = fake_fields,
    .groups = fake_group_of_one,
    .group_count = 1,
    .constant_count = 2,
    .constants = fake_constants,
    .flux_keys = fake_flux,
    .flux_key_count = COUNT(fake_flux),
    .flux = fake_flux_function,
    .surface = fake_surface,
    .speed = fake_speed,
    .energy = fake_energy,
    .initials = fake_initials + 1,
    .initial_count = 1,
};

const sedge_equation *const sedge_equations[] = {&fake_maxwell, &fake_advection, NULL};
const sedge_face_kind *const sedge_face_kinds[] = {NULL};
const sedge_source_kind *const sedge_source_kinds[] = {NULL};

static void fake_local(const double *u, const double *w, const double *m, const double *p,
                       const double *c, double t, double *du, double *dw)
{
    du[0] = dw[0] = 0.0;
    (void)u, (void)w, (void)m, (void)p, (void)c, (void)t;
}

static double fake_rate(const double *m, const double *p)
{
    (void)m;
    return 1.0 / p[1];
}

static const sedge_parameter fake_relaxation[] = {
    {.name = "strength", .required = true, .positive = true, .text = "how much"},
    {.name = "tau",
     .fallback = {3e8},
     .maximum = HUGE_VAL,
     .dimension = SEDGE_TIME,
     .text = "when"},
};

// What all of them do: nothing.
#define FAKE_TERM                                                                   \
    .function = "fake_local", .header = "fake_term.h", .header_text = "// nothing", \
    .local = fake_local, .rate = fake_rate

// Not constant: a test takes entries away.
static sedge_term_kind fake_relaxing = {
    .name = "relaxing",
    .equation = "maxwell",
    .text = "what comes later",
    .parameters = fake_relaxation,
    .parameter_count = COUNT(fake_relaxation),
    .memory = 2,
    FAKE_TERM,
};

static const sedge_term_kind fake_drag = {
    .name = "drag",
    .equation = "maxwell",
    .text = "what slows down",
    FAKE_TERM,
};

static const sedge_term_kind fake_leak = {
    .name = "leak",
    .equation = "advection",
    .text = "what gets lost",
    FAKE_TERM,
};

// Another equation's, with the name of a term of Maxwell's, or of a key of its materials.
static const sedge_term_kind fake_namesakes[] = {
    {.name = "drag", .equation = "advection", .text = "what slows down", FAKE_TERM},
    {.name = "sigma", .equation = "advection", .text = "what gets lost", FAKE_TERM},
};

const sedge_term_kind *const sedge_term_kinds[] = {
    &fake_drag, &fake_leak, &fake_namesakes[0], &fake_namesakes[1], &fake_relaxing, NULL};

// One with local time steps, which makes none here. Tests may change it for a while.
static const double fake_coefficient[] = {0.0};
static sedge_integrator fake_by_levels = {.name = "local",
                                          .text = "steps of their own",
                                          .stages = 1,
                                          .a = fake_coefficient,
                                          .b = fake_coefficient,
                                          .c = fake_coefficient,
                                          .stability = 1.0,
                                          .oscillation = 1.0,
                                          .radius = 1.0,
                                          .height = 1.0,
                                          .predictor = true};
const sedge_integrator *const sedge_integrators[] = {&sedge_integrator_lsrk45, &fake_by_levels,
                                                     NULL};
const sedge_monitor_kind *const sedge_monitor_kinds[] = {NULL};

// Read a deck from a string; the name that messages get is "deck.yaml".
static sedge_status read_deck(sedge_deck **deck, const char *text, const char *setting)
{
    return sedge_deck_create(deck, "deck.yaml", text, strlen(text), &setting, setting != NULL);
}
