// Functions on the cross-section of a guide that are its modes and its lines' potentials.
#pragma once

#include "port_section.h"

// The functions f with -laplace f = k^2 f of one k^2, or of some that are nearly the same.
typedef struct port_modes {
    int count;
    int asked;         // which of them was asked for, from 0
    int last;          // number of the last one among all, from 1
    double next;       // k^2 of the one behind it; 0: there is none
    double *values;    // [count] k^2, ascending
    double *functions; // [count][unknowns]; the integrals of their squares are 1
} port_modes;

// Number `number`, from 1 with rising k^2, of the functions that are 0 on all walls where `fixed`,
// else of normal derivative 0 there, of which k = 0 is left out; and those before and behind it of
// which each k^2 is at most 1 + `same` times that of the one before. SEDGE_ERR_USAGE: the
// cross-section has too many faces, or too few; the message begins with `where`. SEDGE_ERR_COMPUTE,
// SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_modes_find(port_modes *out, const port_section *section, bool fixed, int number,
                             double same, const char *where);
void port_modes_clear(const port_modes *modes);

// The function [unknowns] with laplace f = 0 that has these values on the walls [walls]. Failures
// are as above.
SEDGE_MUST_USE
sedge_status port_modes_potential(double *function, const port_section *section,
                                  const double *voltages, const char *where);
