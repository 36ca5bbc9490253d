// Riccati-Bessel functions of complex argument, for series over spherical waves.
//
// psi_n(z) = z j_n(z) is regular at z = 0; zeta_n(z) = z h_n^(2)(z) is an outgoing wave under
// exp(+j w t). Their sizes go far beyond the range of double, so each number has a scale:
//
//   psi_n(z) = psi[n] exp(psi_scale[n]),  psi_n'(z) = psi_slope[n] exp(psi_scale[n]),
//
// and zeta alike. psi comes from the downward recurrence (Miller's method, normalised by psi_0 or
// psi_1 in closed form), zeta from the upward recurrence; both directions are the stable ones, see
// Bohren & Huffman, section 4.8, and Mackowski, Altenkirch, Menguc, Appl. Opt. 29 (1990) 1551.
#pragma once

#include "base/error.h"

#include <complex.h>

typedef struct sedge_riccati {
    int terms;                         // n = 1..terms are valid after sedge_riccati_fill
    double complex *psi, *psi_slope;   // [terms + 1]
    double complex *zeta, *zeta_slope; // [terms + 1]
    double *psi_scale, *zeta_scale;    // [terms + 1], natural logarithms
    double complex *memory;            // what all of these lie in
} sedge_riccati;

// Room for n = 1..`terms`, terms >= 1. SEDGE_ERR_MEMORY. The caller clears it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_riccati_create(sedge_riccati *out, int terms);
void sedge_riccati_clear(sedge_riccati *riccati);

// All functions at z, which is finite and not 0. The time is proportional to terms + |z|. Where
// Im z = 0, the real part of zeta is psi itself, to the last digit.
void sedge_riccati_fill(sedge_riccati *riccati, double complex z);
