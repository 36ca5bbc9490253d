// A small equation of the tests' own: every type of parameter, every kind of unit.
#pragma once

#include "base/file.h"
#include "check.h"
#include "dg/equation.h"
#include "dg/problem.h"
#include "run/deck.h"

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

static const sedge_boundary_kind fake_boundaries[] = {
    {.name = "pec", .text = "a wall"},
    {.name = "absorbing", .text = "open"},
    {.name = "impedance",
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
    {.name = "zero", .text = "nothing"},
    {.name = "mode",
     .exact = true,
     .parameters = fake_mode,
     .parameter_count = COUNT(fake_mode),
     .text = "a mode of a box"},
};

static const sedge_parameter fake_wave[] = {
    {.name = "direction", .type = SEDGE_PARAMETER_VECTOR, .required = true, .text = "whither"},
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
     .text = "a wave"},
    {.name = "dipole",
     .type = SEDGE_SOURCE_POINT,
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
static const char *fake_contradiction(const struct sedge_problem *problem)
{
    return problem->materials[0][0] == 666.0 ? "the number of the beast" : NULL;
}

static const double fake_si[SEDGE_DIMENSIONS] = {
    [SEDGE_DIMENSIONLESS] = 1.0,   [SEDGE_LENGTH] = 1.0,   [SEDGE_TIME] = 3e8,
    [SEDGE_FREQUENCY] = 1.0 / 3e8, [SEDGE_VELOCITY] = 1.0, [SEDGE_CONDUCTIVITY] = 376.7,
    [SEDGE_RESISTANCE] = 0.125,    [SEDGE_FIELD] = 1.0,    [SEDGE_CURRENT_MOMENT] = 377,
};

static const char *const fake_fields[] = {"Ex", "Ey", "Ez"};
static const sedge_output_group fake_groups[] = {{"E", 0, 3, "V/m", 1.0}};

static const sedge_equation fake_maxwell = {
    .name = "maxwell",
    .text = "Equations of the tests",
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
    .fields = 1,
    .field_names = fake_fields,
    .constants = fake_constants,
    .flux_keys = fake_flux,
    .flux_key_count = COUNT(fake_flux),
    .initials = fake_initials + 1,
    .initial_count = 1,
};

const sedge_equation *const sedge_equations[] = {&fake_maxwell, &fake_advection, NULL};

// Read a deck from a string; the name that messages get is "deck.yaml".
static sedge_status read_deck(sedge_deck **deck, const char *text, const char *setting)
{
    return sedge_deck_create(deck, "deck.yaml", text, strlen(text), &setting, setting != NULL);
}
