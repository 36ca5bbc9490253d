// How the medium of a volume group, with all its terms, responds: to fields of one frequency, in
// du/dt, in the energy density, and in the speed of waves.
#pragma once

#include "dg/problem.h"

#include <complex.h>

// For fields exp(i omega t), omega > 0, the medium of volume group `volume` multiplies the time
// derivative i omega u_f of each field by factors[f]. Conductivity and poles count, absorbing
// layers do not. False where there are no such factors: a term is not linear, multiplies by a
// tensor, or acts on another field than the one that drives it. Not collective.
bool sedge_response_find(double complex factors[SEDGE_MAX_FIELDS], const sedge_problem *problem,
                         int volume, double omega);

// The same with tensors: for fields exp(i omega t) the equation without terms and source is
// i omega sum_g matrix_fg u_g = its du_f/dt. Sets matrix [fields][fields]. False: a term is not
// linear. Not collective.
bool sedge_response_matrix(double complex *matrix, const sedge_problem *problem, int volume,
                           double omega);

// The losses of the medium: for such fields u (peak values) it takes the mean power density
// 1/2 sum_fg conj(u_f) matrix_fg u_g out of the fields. Sets matrix [fields][fields], Hermitian;
// what is nothing but rounding is 0. False: a term is not linear. Not collective.
bool sedge_response_losses(double complex *matrix, const sedge_problem *problem, int volume,
                           double omega);

// Has any volume group a term that multiplies du/dt by a matrix (sedge_term_kind.multiply)?
bool sedge_response_multiplies(const sedge_problem *problem);

// Multiply du [fields], a time derivative at a node of the volume group, by the group's matrices.
void sedge_response_multiply(const sedge_problem *problem, int volume, double *du);

// The energy density is 1/2 sum_fg weights_fg u_f u_g: sets weights [fields][fields], diagonal
// where the group has no such term.
void sedge_response_energy(double *weights, const sedge_problem *problem, int volume);

// The speed of the slowest wave in a volume group. Only terms with tensors slow waves down here
// (sedge_term_kind.tensor); without one all waves have this speed. Each such term acts on one half
// of the fields, and its matrix enters the square of the speed once.
double sedge_response_slowest(const sedge_problem *problem, int volume);
