// How well a mesh resolves the waves of a deck: an estimate of the error of the shortest wave, and
// what it means for the mesh and the order.
#pragma once

#include "base/error.h"
#include "run/session.h"

// Largest frequency of interest of the deck's signals, where the spectrum has fallen to about a
// hundredth of its peak, in cycles per code time; 0: none known. Not collective.
double sedge_resolution_frequency(const sedge_session *session);

// Error, relative in L2, of a wave of length `wave` in elements of longest edge `edge` after
// `waves` wavelengths: what the polynomials of order N cannot follow, and what is lost of the wave
// at every wavelength. With k = 2 pi / wave,
//   0.6 (k edge / 4)^(N+1) / (N+1)!  +  waves pi (N! / (2N+1)!)^2 (0.48 k edge)^(2N+1).
// The powers are those of theory, the second term that of Ainsworth (2004) in one dimension; 0.6
// and 0.48 are measured. Waves along the longest edges have this error to a factor of 2.5, others
// a smaller one, the more so the higher the order (tests/run/test_resolution.c).
double sedge_resolution_error(int order, double edge, double wave, double waves);

// A line for each volume group to stdout: the shortest wave, the longest edge, points a wavelength,
// the error's estimate, and whether that is coarse or far finer than the wave needs. Nothing where
// there is no frequency. Root prints. Collective.
SEDGE_MUST_USE
sedge_status sedge_resolution_print(const sedge_session *session);
