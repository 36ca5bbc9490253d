// How well a mesh resolves the waves of a deck: an estimate of the shortest wave's error, and a
// hint whether the mesh and the order are too coarse or finer than needed.
#pragma once

#include "base/error.h"
#include "session/session.h"

// Relative L2 error of a wave of length `wave` after `waves` wavelengths, in elements with the
// longest edge `edge`. With k = 2 pi / wave it is
//   0.6 (k edge / 4)^(N+1) / (N+1)!  +  waves pi (N! / (2N+1)!)^2 (0.48 k edge)^(2N+1).
// The first term is the error of the best approximation by polynomials of order N; the second one
// is the wave's loss, which grows with every wavelength. The powers are those of theory, and the
// second term is Ainsworth's (2004) for one dimension; 0.6 and 0.48 are measured. For waves along
// the longest edges the estimate is right to a factor of 2.5. For other directions the error is
// smaller, the more so the higher the order (tests/run/test_resolution.c).
double sedge_resolution_error(int order, double edge, double wave, double waves);

// Print a line for each volume group to stdout: the shortest wavelength, the longest edge, points
// per wavelength, the estimated error, and whether the mesh is coarse or far finer than the wave
// needs. Nothing is printed if no frequency is known. Root prints. Collective.
SEDGE_MUST_USE
sedge_status sedge_resolution_print(const sedge_session *session);
