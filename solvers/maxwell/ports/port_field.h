// The sign of a port's field, and the fields of ports that have a file of their own.
#pragma once

#include "maxwell/sections/port_hybrid.h"

struct sedge_problem; // dg/problem.h

#define PORT_CLEAR 0.02 // of a mean of the field: less may be 0 but for errors

// The means of the field's components along both axes, in units of the root of the area.
void port_field_means(double out[2], const port_section *section, const sedge_surface_field *field);

// 1 or -1, which makes the first mean of the field that is not 0 one above 0.
double port_field_sign(const port_section *section, const sedge_surface_field *field);

// The real part of the permittivity of a volume group for the static wave of a line: of a medium
// with relaxations that in the middle of the sources' band.
double port_line_epsilon(const struct sedge_problem *problem, int volume);

// The medium of a volume group at an angular frequency, along the unit vectors u and v and across
// them; `*loss` is the greatest loss tangent of epsilon and mu. False: it is not known, mu is a
// tensor, or epsilon is one of which the plane of u and v is no plane of symmetry, or one of a
// medium in a static magnetic field.
bool port_medium_find(port_medium *out, double *loss, const struct sedge_problem *problem,
                      int volume, double omega, const double axes[2][3]);

// A mode-port: fill `field` with H x z, field->other with E, and p with the mode's numbers. The
// faces of the whole port are `shape`; `magnetic` [count] are edges on magnetic walls. Messages
// begin with `where`. SEDGE_ERR_USAGE: there is no such mode, or its field reaches an outline that
// is on no wall. SEDGE_ERR_COMPUTE, SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status port_hybrid_field_fill(sedge_surface_field *field, double *p,
                                    const port_section *section,
                                    const struct sedge_problem *problem,
                                    const sedge_surface_shape *shape, const shape_edge *magnetic,
                                    int64_t count, const char *where);
