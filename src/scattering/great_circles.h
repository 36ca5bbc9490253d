// A far field from its values in few directions.
//
// The far field of currents within a radius R of its phase centre has hardly more than k R degrees
// of freedom in an angle: in exp(j k r.x) = sum over n of (2 n + 1) j^n j_n(k |x|) P_n(cos), the
// spherical Bessel functions fall faster than any exponential beyond n = k R (Bucci and
// Franceschetti, IEEE TAP 35 (1987) 1445). Cut after degree L, E_theta and E_phi are trigonometric
// polynomials of degree D = L + 1 along any great circle through the poles and along any circle
// around z, so that 2 D + 2 equally spaced values on such a circle give them exactly (Hansen,
// Spherical Near-Field Antenna Measurements, IEE 1988, chapter 4).
//
// A great circle has a fixed phi, and theta goes from 0 to 2 pi. With the unit vectors continued
// in theta, E(2 pi - theta, phi) = -E(theta, phi + pi) for both components. Directions come in
// axes: theta and theta + pi, whose integrals take the same sines.
#pragma once

#include "base/error.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

// What is to be known, at one frequency. Axes are listed in `axis`; the rest is for
// sedge_circles_fill.
typedef struct sedge_circles {
    int degree;                  // D
    int64_t axes;                // at which the far field is asked for
    double (*axis)[2];           // [axes] theta and phi, in radians
    int64_t directions;          // of the caller
    struct sedge_turned *turned; // [directions], circle by circle
    int64_t circles;
    struct sedge_circle *circle; // [circles]
    bool whole;        // the axes are a grid on the whole sphere, [D + 1 in phi][D + 1 in theta]
    double (*half)[2]; // [2 D + 2] cosines and sines of half the angles of values on a circle
} sedge_circles;

// Choose the axes for directions (theta, phi) [directions] in radians of a far field whose currents
// lie within `size` > 0, k times the radius, of its phase centre. What the cut leaves out is below
// 1e-10 min(1, size)^2 of the currents' integral, the second factor for bodies that radiate by
// their dipoles or quadrupoles. There are as few axes as possible: one a direction, or D + 1 for a
// circle with more directions, or (D + 1)^2 on the whole sphere. Clear it in any case.
// SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_circles_create(sedge_circles *out, double size, int64_t directions,
                                  const double (*direction)[2]);
void sedge_circles_clear(const sedge_circles *circles);

// The far field [directions][2] (E_theta, E_phi) in the caller's directions by that on the axes,
// at theta and theta + pi: known [axes][2][2]. On so many threads of this process.
// SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_circles_fill(const sedge_circles *circles, int threads,
                                const double complex (*known)[2][2], double complex (*far)[2]);
