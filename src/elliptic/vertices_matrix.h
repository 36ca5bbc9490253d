// The matrix of the elliptic form (elliptic.h) on the continuous functions of order 1, in which the
// jumps inside the mesh are zero: the coarsest level of multigrid.
#pragma once

#include "vertices.h"

#include "base/error.h"
#include "dg/problem.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// The rows of this rank's vertices, numbered as `vertices` does. Collective. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_vertices_matrix(sedge_matrix **out, const sedge_vertices *vertices,
                                   const sedge_comm *comm, const sedge_mesh *mesh,
                                   const sedge_problem *problem);
