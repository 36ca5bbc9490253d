// A Lorentz pole of the permeability: a damped resonance, as of a ferrite without bias.
#include "dispersion_kind.h"

DISPERSION_KIND(magnetic_lorentz, lorentz, MAXWELL_INVERSE_MU, 6, false,
                "a Lorentz pole of the permeability");
