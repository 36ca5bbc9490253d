// What a medium makes of fields at one frequency, of du/dt, of energy and of the speed of waves.
#pragma once

#include "dg/problem.h"

#include <complex.h>

// In volume group `volume` source and terms turn du_f/dt = i omega u_f into factors[f] i omega u_f,
// for fields exp(i omega t) and omega > 0: conductivity and poles, but no absorbing layer. False:
// a term is not linear, is that of a tensor, or adds to other fields than the one that drives it.
// Not collective.
bool sedge_response_find(double complex factors[SEDGE_MAX_FIELDS], const sedge_problem *problem,
                         int volume, double omega);

// Has any volume group a term that multiplies du/dt by a matrix (sedge_term_kind.multiply)?
bool sedge_response_multiplies(const sedge_problem *problem);

// du [fields], a time derivative at a node of the volume group, times the group's matrices.
void sedge_response_multiply(const sedge_problem *problem, int volume, double *du);

// The energy density is 1/2 sum_fg weights_fg u_f u_g: sets weights [fields][fields], diagonal
// where the group has no such term.
void sedge_response_energy(double *weights, const sedge_problem *problem, int volume);

// The speed of the slowest wave in a volume group; without such terms that of the fastest, too.
// Terms of tensors alone count (sedge_term_kind.tensor): each acts on one half of the fields, whose
// matrix enters the square of the speed once.
double sedge_response_slowest(const sedge_problem *problem, int volume);
