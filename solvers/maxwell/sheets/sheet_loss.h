// What sheets take from fields exp(i omega t): the function `loss_two_sided` of their kinds. The
// waves that leave both sides do not change at the sheet (sheet_face.h), and give its state.
#pragma once

#include "maxwell/maxwell.h"

#include <complex.h>

// The mean power that an area of a sheet with the admittance Y_s, per square, takes: by its field
// e* = S / (Y + Y' + Y_s). Arguments are those of `loss_two_sided`.
double maxwell_sheet_loss(const double *mu, const double *mw, const double *n, const double *u,
                          const double *w, double complex admittance);

// The same of its magnetic twin: by g* = ((e + Z g) - (e' + Z' g')) / (Z + Z' + R).
double maxwell_magnetic_sheet_loss(const double *mu, const double *mw, const double *n,
                                   const double *u, const double *w, double resistance);

// The same of a layer whose impedance is `even` for fields that are even about it, half the sum of
// e on both sides by half the sum of g, and `odd` for half of their differences.
double maxwell_layer_loss(const double *mu, const double *mw, const double *n, const double *u,
                          const double *w, double complex even, double complex odd);
