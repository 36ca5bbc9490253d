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

// True if any boundary condition fixes u (a given value, or a factor > 0). Otherwise A is singular.
// In a mesh of several parts each part needs such a condition; sedge_elliptic_check_parts (parts.h)
// checks that. Collective.
bool sedge_elliptic_is_fixed(const sedge_comm *comm, const sedge_mesh *mesh,
                             const sedge_problem *problem);

// Exchange `width` numbers of each element: `values` are those of this rank's elements, `behind`
// gets those of the elements behind the halo faces, [halo faces]. Collective.
SEDGE_MUST_USE
sedge_status elliptic_exchange(double *behind, const sedge_comm *comm, const sedge_mesh *mesh,
                               const double *values, int width);

// Evaluate the boundary condition of a face at the place x with the normal n.
sedge_condition elliptic_condition(const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_trace_face *face, const double *x, const double *n);

// True if the condition of this boundary face fixes u (a given value, or a factor > 0).
bool elliptic_face_fixes(const sedge_mesh *mesh, const sedge_problem *problem,
                         const sedge_trace_face *face);
