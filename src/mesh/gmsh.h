// A look at a Gmsh file before DMPlex reads it: versions 2.2 and 4.1, ASCII and binary.
//
// DMPlex trusts counts and node numbers in the file. This pass walks through all of it up to
// $EndElements, refuses what is broken or not a mesh of tetrahedra with file and line (or byte),
// and keeps what DMPlex does not hand out: names of groups, element numbers, and the triangles of
// surface groups, which it would only tell after it had made all faces and edges of the mesh.
#pragma once

#include "base/error.h"

#include <stdint.h>

#define SEDGE_GROUP_NAME 64

typedef struct sedge_gmsh_name {
    int dimension;
    int tag;
    char name[SEDGE_GROUP_NAME];
} sedge_gmsh_name;

// A triangle of a surface group. Each corner is one of a tetrahedron: 4 times its place in the file
// plus the corner there.
typedef struct sedge_gmsh_triangle {
    int64_t number; // of the element
    int32_t corner[3];
    int32_t tag; // of the physical surface, without the minus sign of reversed ones
} sedge_gmsh_triangle;

typedef struct sedge_gmsh {
    int order;        // of the tetrahedra; above 1: curved
    int64_t tets;     // in the order of the file; at most SEDGE_GLOBAL_LIMIT
    int64_t *numbers; // [tets] element numbers
    int64_t triangles;
    sedge_gmsh_triangle *triangle; // [triangles] in the order of the file
    int names;
    sedge_gmsh_name *name; // [names] of the physical groups
} sedge_gmsh;

// SEDGE_ERR_DATA with the place for whatever is wrong. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_gmsh_scan(sedge_gmsh **out, const char *path);
void sedge_gmsh_free(sedge_gmsh *file);
