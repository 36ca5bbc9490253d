// Sources that drive surfaces with a field, such as a mode of a waveguide
// (sedge_boundary_kind.find_field), or further conditions of a surface: what they add to u_t in the
// elements beside the surface. The function of the surface's kind, of which kernels know, leaves
// them out.
#pragma once

#include "dg/element.h"
#include "dg/point.h"
#include "dg/problem.h"

typedef struct sedge_surface_shares {
    int count;
    sedge_point_share *share; // [count], grouped by source: its number among surface_sources
    double *rates;            // [count][fields][nodes] what a signal of 1 adds to u_t at the nodes
} sedge_surface_shares;

// Those of this rank. SEDGE_ERR_MEMORY, SEDGE_ERR_USAGE. Clear it in any case. Not collective.
SEDGE_MUST_USE
sedge_status sedge_surface_shares_create(sedge_surface_shares *out, const sedge_element *element,
                                         const sedge_mesh *mesh, const sedge_problem *problem);
void sedge_surface_shares_clear(const sedge_surface_shares *shares);

// The signal of a source of a surface, SEDGE_SIGNAL_VALUES numbers.
const double *sedge_surface_signal(const sedge_problem *problem, int source);
