// The parts of a mesh. Two elements are in one part where a chain of faces with neighbours leads
// from one to the other. Volumes that do not touch are parts, and so is a region that a surface
// inside the mesh with a condition cuts off.
//
// Each part is a problem of its own. Where no condition fixes u in a part, u plus any constant
// there is a solution, too.
#pragma once

#include "base/error.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

// SEDGE_ERR_USAGE on all ranks, with a place in the part, where the mesh has more than one part and
// nothing fixes u in one of them (elliptic_face_fixes). A mesh of one part passes as it is: there
// sedge_elliptic_is_fixed tells. Collective.
SEDGE_MUST_USE
sedge_status sedge_elliptic_check_parts(const sedge_comm *comm, const sedge_mesh *mesh,
                                        const sedge_problem *problem);
