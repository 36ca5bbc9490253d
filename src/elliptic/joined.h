// Sets of elements, or of corners of elements, that the faces of the mesh join over all ranks.
//
// Two elements are in one set where a chain of faces with neighbours leads from one to the other;
// two corners, where they lie at the same vertex of such a face (a periodic face joins both sides).
// On each rank a set is identified by its root, one of its members. A set that extends over several
// ranks has a root on each of them, and may have several roots on one rank.
#pragma once

#include "base/error.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdint.h>

// The kind of members. The enum's value is the number of members that a face has on each side.
typedef enum elliptic_members {
    ELLIPTIC_ELEMENTS = 1, // member e: element e
    ELLIPTIC_CORNERS = 3   // member 4 e + v: vertex v of element e
} elliptic_members;

// root [members]: the least member of each set inside this rank. Not collective.
void elliptic_find_roots(int32_t *root, const sedge_mesh *mesh, elliptic_members members);

// Set value[root] to the largest value that any rank has for the set. Collective. The number of
// messages to each neighbour is at most the number of ranks over which a set extends.
SEDGE_MUST_USE
sedge_status elliptic_spread_largest(double *value, const int32_t *root, const sedge_comm *comm,
                                     const sedge_mesh *mesh, elliptic_members members);
