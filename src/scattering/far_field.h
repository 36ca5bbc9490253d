// From near to far: the far field of tangential E and H on a closed surface, and what it radiates.
//
// Phasors exp(+j w t), peak values. With J = n x H, M = -n x E on the surface, r the unit vector of
// a direction, k = w sqrt(epsilon mu), eta = sqrt(mu / epsilon), places relative to `centre`:
//
//   N = int J exp(j k r.x) dS,  L = int M exp(j k r.x) dS,
//   R E_theta = -(j k / 4 pi) (L_phi + eta N_theta),  R E_phi = (j k / 4 pi) (L_theta - eta N_phi),
//
// without the factor exp(-j k R) (Balanis, Advanced Engineering Electromagnetics, chapter 6).
// Images: an electric conductor reverses tangential J and normal M, a magnetic one normal J and
// tangential M; several planes give all products.
//
// All functions here are collective: each rank adds up its own points, and the sum over the ranks
// is the same everywhere. Of many directions few are summed, from which all others follow
// (great_circles.h): K = k R + 7 (k R)^(1/3) + 6 in a plane, roughly, or K^2 on the whole sphere,
// where R is the radius of a sphere around the surface and its images. Time: frequencies x sums x
// points / (ranks x threads) times 10 ns, twice as long for each image plane.
#pragma once

#include "near_surface.h"

// The medium outside the surface, relative to vacuum, lossless.
typedef struct sedge_far_medium {
    double epsilon, mu; // > 0
} sedge_far_medium;

// Phasors on a surface.
typedef struct sedge_near_fields {
    int frequencies;
    const double *frequency;      // [frequencies] angular, > 0; the same on all ranks
    const double complex (*E)[3]; // [frequencies][points]; only tangential parts matter
    const double complex (*H)[3];
} sedge_near_fields;

// R E_theta and R E_phi: far [frequencies][directions][2], for directions (theta, phi) [directions]
// in radians, about `centre`; all but E and H are the same on all ranks. Behind a ground 0. The
// surface is checked (sedge_near_surface_check). SEDGE_ERR_USAGE: a frequency or a medium that is
// not positive; SEDGE_ERR_MEMORY. Collective.
SEDGE_MUST_USE
sedge_status sedge_far_field_find(const sedge_near_surface *surface,
                                  const sedge_near_fields *fields, const sedge_far_medium *medium,
                                  const double centre[3], int64_t directions,
                                  const double (*direction)[2], double complex (*far)[2]);

// Radiated power [frequencies]: |R E|^2 / (2 eta) over the sphere (over the half space of a
// ground). The rule, Gauss in cos(theta) times uniform in phi, is exact for spherical waves up to
// order k R + 10, where R is the greatest distance of the surface and its images from the middle of
// the surface, so for any surface that is not much smaller than a wavelength. Collective.
SEDGE_MUST_USE
sedge_status sedge_far_field_power(const sedge_near_surface *surface,
                                   const sedge_near_fields *fields, const sedge_far_medium *medium,
                                   double *power);
