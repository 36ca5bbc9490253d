// A point source of Maxwell's equations in a file of its own: a magnetic current at a point, as a
// small loop of current is from afar. mu H_t = ... - moment direction delta.
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
     .text = "magnetic current times length over time"},
    {.name = "axis",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .nonzero = true,
     .text = "of the magnetic current; its length does not matter"},
};

static void set_weights(const double *p, const double *m, double *weights)
{
    const double *const axis = p + 3 + SEDGE_SIGNAL_VALUES;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);

    for (int i = 0; i < 3; i++) {
        weights[i] = 0.0;
        weights[3 + i] = -m[MAXWELL_INVERSE_MU] * axis[i] / length;
    }
}

const sedge_source_kind sedge_source_magnetic_dipole = {.name = "magnetic-dipole",
                                                        .equation = "maxwell",
                                                        .type = SEDGE_SOURCE_POINT,
                                                        .point = set_weights,
                                                        .parameters = parameters,
                                                        .parameter_count =
                                                            sizeof parameters / sizeof *parameters,
                                                        .text = "a point magnetic current"};
