// Far fields as text in the format of HFSS, NAME.ffd, which antenna tools read:
//
//   theta of the first direction, of the last, their number (degrees)
//   the same of phi
//   Frequencies N
//   Frequency f (Hz), followed by a line for each direction, phi fastest:
//   Re and Im of R E_theta, Re and Im of R E_phi (volts, peak values, exp(+j w t))
//
// Where all sources have one signal the fields are those of a signal with the amplitude 1 of its
// unit: of a dipole 1 A m, of a plane wave 1 V/m; frequencies at which the signal is too weak for
// that are left out. Else they are the transforms themselves.
#pragma once

#include "radiation/radiation.h"

// Write the file `path`. `spectrum` is that of the surface. Root.
SEDGE_MUST_USE
sedge_status sedge_radiation_write_ffd(const sedge_radiation *radiation,
                                       const sedge_output_context *context,
                                       const sedge_sampling *sampling,
                                       const sedge_spectrum *spectrum, const char *path);
