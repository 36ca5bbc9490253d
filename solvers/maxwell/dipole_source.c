// A point current: epsilon E_t = ... - moment direction delta.
#include "dg/equation.h"

#include "maxwell/maxwell_physics.h"

#include <math.h>

static const sedge_parameter parameters[] = {
    {.name = "position",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .dimension = SEDGE_LENGTH,
     .text = "place of the dipole"},
    {.name = "signal",
     .type = SEDGE_PARAMETER_SIGNAL,
     .required = true,
     .dimension = SEDGE_CURRENT_MOMENT,
     .text = "current times length over time"},
    {.name = "direction",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "of the current; its length does not matter"},
};

static void set_weights(const double *p, const double *m, double *weights)
{
    const double *const d = p + 3 + SEDGE_SIGNAL_VALUES;
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);

    for (int i = 0; i < 3; i++) {
        weights[i] = -m[MAXWELL_INVERSE_EPSILON] * d[i] / length;
        weights[3 + i] = 0.0;
    }
}

const sedge_source_kind sedge_source_dipole = {
    .name = "dipole",
    .equation = "maxwell",
    .type = SEDGE_SOURCE_POINT,
    .point = set_weights,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .text = "a point current, spread over a ball whose radius sedge check prints; nearer than 2.4 "
            "radii the field is not that of a point"};
