// A Lorentz pole of the permittivity: a damped resonance.
#include "dispersion_kind.h"

DISPERSION_KIND(lorentz, lorentz, MAXWELL_INVERSE_EPSILON, 6, false,
                "a Lorentz pole of the permittivity");
