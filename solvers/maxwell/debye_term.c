// A Debye pole of the permittivity: the relaxation of polar liquids such as water.
#include "dispersion_kind.h"

DISPERSION_KIND(debye, debye, MAXWELL_INVERSE_EPSILON, 3, true, "a Debye pole of the permittivity");
