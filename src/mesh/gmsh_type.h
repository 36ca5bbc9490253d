// Gmsh's types of elements: which are simplices, of what order, and how many nodes they have.
#pragma once

#include "base/error.h"
#include "cursor.h"

#include <stdint.h>

typedef struct sedge_gmsh_type {
    int type, dimension;
    int order; // 0: no simplex, known for the message only
    int nodes;
    const char *name;
} sedge_gmsh_type;

// The type of this number, of the element `number` at the cursor. SEDGE_ERR_DATA with the place: it
// is unknown, or no simplex.
SEDGE_MUST_USE
sedge_status sedge_gmsh_type_find(const sedge_gmsh_type **out, const sedge_cursor *cursor,
                                  int64_t type, int64_t number);
