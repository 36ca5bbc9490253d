// A plane wave that meets plane layers at a right angle: what they reflect and let through, and the
// fields everywhere, from the impedances of the layers (M. Born, E. Wolf, Principles of Optics,
// section 1.6). Exact.
//
// Code units (c = eps0 = mu0 = 1), phasors exp(+j w t): losses are negative imaginary parts. The
// medium before and behind the layers is one, without loss.
#pragma once

#include "base/error.h"

#include "mie.h"

#define SEDGE_SLAB_LAYERS 32

typedef struct sedge_slab {
    int axis; // across the layers: 0, 1, 2
    int layers;
    double at;                                 // coordinate where the first one begins
    double thickness[SEDGE_SLAB_LAYERS];       // of each, in rising coordinate
    double complex epsilon[SEDGE_SLAB_LAYERS]; // relative to vacuum, at one frequency
    double complex mu[SEDGE_SLAB_LAYERS];
    double background_epsilon, background_mu;
} sedge_slab;

// The two waves in each region, in the order in which the incident wave meets them: before the
// layers, in each, behind them. s is the coordinate along the wave's direction.
typedef struct sedge_slab_fields {
    int axis, layers;
    double sign;                         // s = sign x[axis]
    double plane[SEDGE_SLAB_LAYERS + 1]; // where region i ends, in s
    double complex wavenumber[SEDGE_SLAB_LAYERS + 2];
    double complex impedance[SEDGE_SLAB_LAYERS + 2];
    double complex forward[SEDGE_SLAB_LAYERS + 2];  // where the region begins; of the first its end
    double complex backward[SEDGE_SLAB_LAYERS + 2]; // where it ends
    double complex incident;                        // at the first plane
    double complex polarisation[3];
    double reflectance, transmittance; // of the power
} sedge_slab_fields;

// Solve for one angular frequency. SEDGE_ERR_USAGE: the wave does not travel along the axis.
SEDGE_MUST_USE
sedge_status sedge_slab_solve(sedge_slab_fields *out, const sedge_slab *slab,
                              const sedge_incident_wave *wave, double frequency);

// Is x before the layers (-1), in them (0), or behind them (1), for the wave?
int sedge_slab_side(const sedge_slab_fields *fields, const double x[3]);

// Phasors E and H at x: of the incident wave alone, as if there were no layers, and the total ones.
void sedge_slab_find_incident(const sedge_slab_fields *fields, const double x[3],
                              double complex E[3], double complex H[3]);
void sedge_slab_find_total(const sedge_slab_fields *fields, const double x[3], double complex E[3],
                           double complex H[3]);
