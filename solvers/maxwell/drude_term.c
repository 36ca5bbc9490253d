// A Drude pole of the permittivity: the free electrons of a metal or a plasma.
#include "dispersion_kind.h"

DISPERSION_KIND(drude, drude, MAXWELL_INVERSE_EPSILON, 3, false,
                "a Drude pole of the permittivity");
