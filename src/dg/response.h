// The response of a medium to fields at one frequency.
#pragma once

#include "dg/problem.h"

#include <complex.h>

// In volume group `volume` source and terms turn du_f/dt = i omega u_f into factors[f] i omega u_f,
// for fields exp(i omega t) and omega > 0: conductivity and poles, but no absorbing layer. False:
// a term is not linear, or adds to other fields than the one that drives it. Not collective.
bool sedge_response_find(double complex factors[SEDGE_MAX_FIELDS], const sedge_problem *problem,
                         int volume, double omega);
