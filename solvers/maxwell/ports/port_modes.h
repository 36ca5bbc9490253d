// Functions on the cross-section of a guide that are its modes and its lines' potentials.
#pragma once

#include "port_section.h"

// The `count` least k^2 and functions f with -laplace f = k^2 f, 0 on all walls where `fixed`, else
// of normal derivative 0 there, of which k = 0 is left out. values [count] ascend; functions
// [count][unknowns], the integrals of their squares are 1. SEDGE_ERR_USAGE: the cross-section has
// too many faces, or too few; the message begins with `where`. SEDGE_ERR_COMPUTE, SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status port_modes_find(double *values, double *functions, const port_section *section,
                             bool fixed, int count, const char *where);

// The function [unknowns] with laplace f = 0 that is 0 on the outer wall and 1 on all others.
// Failures are as above.
SEDGE_MUST_USE
sedge_status port_modes_potential(double *function, const port_section *section, const char *where);
