// Gmsh's element types that can be read: points, lines, triangles and tetrahedra of each order.
#pragma once

#include "base/error.h"
#include "cursor.h"

#include <stdint.h>

typedef struct sedge_gmsh_type {
    int type, dimension;
    int order;
    int nodes;
} sedge_gmsh_type;

// Look up the element type `type` of the element `number` at the cursor. SEDGE_ERR_DATA with the
// place and the type's name: it cannot be read.
SEDGE_MUST_USE
sedge_status sedge_gmsh_type_find(const sedge_gmsh_type **out, const sedge_cursor *cursor,
                                  int64_t type, int64_t number);
