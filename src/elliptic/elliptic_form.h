// The discrete form of an elliptic problem: what each face of the mesh contributes, by its boundary
// condition and its neighbour.
#pragma once

#include "elliptic_face.h"

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdbool.h>

// g and tau of all faces, [elements][4], from mesh and problem. Collective; released with
// sedge_release. The equation has `elliptic` (dg/equation.h).
SEDGE_MUST_USE
sedge_status sedge_elliptic_faces(sedge_elliptic_face **out, const sedge_comm *comm,
                                  const sedge_element *element, const sedge_mesh *mesh,
                                  const sedge_problem *problem);

// Does any boundary fix u, or a part of it (a factor)? Else A is singular. Of a mesh in parts each
// must have one that does: sedge_elliptic_check_parts (parts.h). Collective.
bool sedge_elliptic_is_fixed(const sedge_comm *comm, const sedge_mesh *mesh,
                             const sedge_problem *problem);

// One number of each element behind the halo faces, [halo faces], from one of each element of this
// rank. Collective.
SEDGE_MUST_USE
sedge_status elliptic_exchange(double *behind, const sedge_comm *comm, const sedge_mesh *mesh,
                               const double *values, int width);

// Outcome of the condition at a place of a boundary face.
sedge_condition elliptic_condition(const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_trace_face *face, const double *x, const double *n);

// Does the condition of this boundary face fix u, or a part of it (a factor)?
bool elliptic_face_fixes(const sedge_mesh *mesh, const sedge_problem *problem,
                         const sedge_trace_face *face);
