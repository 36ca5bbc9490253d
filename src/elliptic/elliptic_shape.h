// The geometry of one element as the elliptic kernels read it (dg_elliptic.h), 16 numbers:
//
//   0 to 5   J grad r_j . grad r_k for rr, ss, tt, rs, rt, st; its mean in a curved element
//   6, 7     the coefficient k; nothing
//   8 + 2 f  g of face f, and at 9 + 2 f its tau sJ (elliptic_face.h)
#pragma once

#include "elliptic_curved.h"

#include "dg/problem.h"

#define ELLIPTIC_SHAPE_WORDS 16

// The numbers of element e. `curved` may be NULL where the mesh has no curved element; `faces` are
// those of sedge_elliptic_faces.
void elliptic_shape(double shape[ELLIPTIC_SHAPE_WORDS], const sedge_mesh *mesh,
                    const sedge_problem *problem, const elliptic_curved *curved,
                    const sedge_elliptic_face *faces, int32_t e);
