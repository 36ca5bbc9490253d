// A Drude pole of the permeability.
#include "dispersion_kind.h"

DISPERSION_KIND(magnetic_drude, drude, MAXWELL_INVERSE_MU, 3, false,
                "a Drude pole of the permeability");
