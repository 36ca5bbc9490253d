#include "equation.h"

#include <stddef.h>

const char *sedge_dimension_suffix(sedge_dimension dimension)
{
    static const char *const suffixes[SEDGE_DIMENSIONS] = {
        [SEDGE_DIMENSIONLESS] = "",  [SEDGE_LENGTH] = " m",           [SEDGE_TIME] = " s",
        [SEDGE_FREQUENCY] = " Hz",   [SEDGE_VELOCITY] = " m/s",       [SEDGE_CONDUCTIVITY] = " S/m",
        [SEDGE_RESISTANCE] = " ohm", [SEDGE_INDUCTANCE] = " H",       [SEDGE_CAPACITANCE] = " F",
        [SEDGE_FIELD] = "",          [SEDGE_CURRENT_MOMENT] = " A m", [SEDGE_VOLTAGE] = " V",
    };

    return suffixes[dimension];
}

int sedge_parameter_size(const sedge_parameter *parameter)
{
    switch (parameter->type) {
    case SEDGE_PARAMETER_REAL:
    case SEDGE_PARAMETER_INTEGER:
    case SEDGE_PARAMETER_SURFACE:
        return 1;
    case SEDGE_PARAMETER_VECTOR:
    case SEDGE_PARAMETER_INTEGERS:
        return 3;
    case SEDGE_PARAMETER_WEIGHTS:
        return 2 * SEDGE_MAX_WEIGHTS;
    case SEDGE_PARAMETER_SIGNAL:
        return SEDGE_SIGNAL_VALUES;
    }
    return 0;
}

int sedge_parameters_size(const sedge_parameter *parameters, int count)
{
    int size = 0;

    for (int i = 0; i < count; i++) size += sedge_parameter_size(&parameters[i]);
    return size;
}

bool sedge_equation_has_source(const sedge_equation *equation, const double *m)
{
    if (equation->source == NULL) return false;
    return equation->has_source == NULL || equation->has_source(m);
}

bool sedge_turns(const double *p, double *k)
{
    for (int i = 0; i < 3; i++) k[i] = p[i];
    return true;
}

bool sedge_heading(const double *p, double *k)
{
    (void)sedge_turns(p, k);
    return false;
}

bool sedge_is_two_sided(const sedge_boundary_kind *kind)
{
    return kind->apply_two_sided != NULL || kind->apply_two_sided_memory != NULL;
}

bool sedge_has_place(const sedge_source_kind *kind)
{
    return kind->type == SEDGE_SOURCE_POINT || kind->type == SEDGE_SOURCE_BALL;
}
