// The Mie series: a plane wave on a sphere that is conducting, homogeneous or coated. Exact cross
// sections, radar cross-sections, far fields, and fields at any point.
//
// Code units (c = eps0 = mu0 = 1), phasors exp(+j w t), so losses are negative imaginary parts of
// epsilon and mu: Drude metal epsilon = eps_inf - wp^2 / (w^2 - j g w). Formulas: Bohren & Huffman
// (1983), chapters 4 and 8, complex conjugated for exp(+j w t); for layers and for the functions of
// complex argument see mie_series.h and riccati.h.
//
// Tested for size parameters k a from 0.001 to 1000 and indices up to those of good conductors
// (|index| k a up to 3e4).
#pragma once

#include "base/error.h"

#include "sphere.h"

#include <stdint.h>

// E = polarisation exp(-j k direction.(x - origin)); a complex polarisation is elliptic.
typedef struct sedge_incident_wave {
    double direction[3];            // its length does not matter
    double complex polarisation[3]; // perpendicular to the direction
    double origin[3];
} sedge_incident_wave;

typedef struct sedge_mie sedge_mie;

// Areas; divided by the sphere's pi a^2 they are the efficiencies Q. `backscatter` is the radar
// cross-section in the direction that the wave comes from.
typedef struct sedge_mie_sections {
    double scattering, extinction, absorption, backscatter;
} sedge_mie_sections;

typedef enum sedge_mie_part { SEDGE_MIE_SCATTERED, SEDGE_MIE_TOTAL } sedge_mie_part;

// Solve for one angular frequency (radians per time, > 0). Keeps no pointer. SEDGE_ERR_USAGE, with
// the value, for what has no meaning (radii that do not increase, gain, a polarisation along the
// direction) or is beyond |index| k a = 1e5; SEDGE_ERR_MEMORY. The caller frees it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_mie_create(sedge_mie **out, const sedge_sphere *sphere,
                              const sedge_incident_wave *wave, double frequency);
void sedge_mie_free(sedge_mie *mie); // NULL is fine

// Cross-sections; they do not depend on direction and polarisation of the wave.
sedge_mie_sections sedge_mie_find_sections(const sedge_mie *mie);

// Scattered far field in the direction of unit length whose spherical angles are theta and phi
// (radians): `far` gets r E_theta and r E_phi with exp(-j k r) removed, r from the sphere's centre.
void sedge_mie_find_far(const sedge_mie *mie, double theta, double phi, double complex far[2]);

// Bistatic radar cross-section 4 pi r^2 |E|^2 / |E_incident|^2 (area), theta and phi part.
void sedge_mie_find_rcs(const sedge_mie *mie, double theta, double phi, double rcs[2]);

// Phasors E and H [points][3] at x [points][3]. Inside a conductor the total field is 0. Points
// within 1e-6 radii of the outer surface count as outside. SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_mie_find_fields(const sedge_mie *mie, sedge_mie_part part, int64_t points,
                                   const double (*x)[3], double complex (*E)[3],
                                   double complex (*H)[3]);
