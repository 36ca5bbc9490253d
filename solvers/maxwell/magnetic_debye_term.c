// A Debye pole of the permeability.
#include "dispersion_kind.h"

DISPERSION_KIND(magnetic_debye, debye, MAXWELL_INVERSE_MU, 3, true,
                "a Debye pole of the permeability");
