// The surface impedance of a conducting wall or film depends on the frequency. Here it is fitted,
// over a band, by a constant and a sum of poles, which sheet_face.h advances in time.
#pragma once

#include "dg/problem.h"

// The parameters of a wall, and last the thickness, which a film has besides.
#define MAXWELL_WALL_PARAMETERS 4
extern const sedge_parameter maxwell_wall_parameters[MAXWELL_WALL_PARAMETERS + 1];

// Fit the impedance of these parameters (sedge_boundary_kind.derive): sets the numbers of p from
// WALL_POLES on. The band is that of the problem's signals where `highest` is 0; the thickness of a
// wall is 0. All residues are at least 0, so the surface is passive: it never gives back more
// energy than it took. SEDGE_ERR_USAGE: no band; a band too wide; no good conductor.
SEDGE_MUST_USE
sedge_status maxwell_wall_derive(const sedge_problem *problem, const char *surface, double *p);

// The largest decay rate p_k of the poles, which limits the time step (sedge_boundary_kind.rate).
double maxwell_wall_rate(const double *m, const double *p);

// Weights of the energy of the memory of a wall and of a film (sedge_boundary_kind.energy): a pole
// c s / (s + p) is a resistor c beside an inductor c / p, whose current is q.
void maxwell_wall_energy(const double *p, double *weights);
void maxwell_film_energy(const double *p, double *weights);

// The words of `sedge check` (sedge_boundary_kind.describe).
void maxwell_wall_describe(char text[160], const double *p, double hertz);
