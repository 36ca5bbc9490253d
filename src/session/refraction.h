// The complex refractive index of materials whose terms make it depend on the frequency.
#pragma once

#include "session/session.h"

#include <complex.h>

// The index n - i k of volume group `volume` at `frequency` in cycles per code time, for fields
// exp(i omega t): k > 0 is loss. Not a number where the equation or the terms have none: a term is
// not linear, or acts on the components of a vector differently. Not collective.
double complex sedge_refraction(const sedge_problem *problem, int volume, double frequency);

// Media with tensors, too: of the two waves along each of the axes x, y and z, the one with the
// larger |index| first. Not a number where the equation has none, or a term is not linear. Not
// collective.
void sedge_refraction_along(double complex indices[3][2], const sedge_problem *problem, int volume,
                            double frequency);

#define SEDGE_FREQUENCIES 5 // at which it is looked at, from a fifth of the highest one

// Print n and k of each volume group with terms or loss at some frequencies of the sources'
// spectrum, along x, y and z where the medium has a tensor, and the largest time step that its
// conductivity and terms allow, to stdout. Root prints. Not
// collective.
void sedge_refraction_print(const sedge_session *session);
