// The Gmsh reader: the content of a file's sections, in the order of the file.
//
// Versions 2 to 2.2 and 4.1, ASCII and binary, and 4.0 as ASCII. Everything is checked where it is
// read. A broken file, or one that is not a mesh of tetrahedra, is refused with file and line (or
// byte). gmsh.c goes through the sections; gmsh_entities.c, gmsh_nodes.c and gmsh_elements.c read
// the large ones.
#pragma once

#include "cursor.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_GROUP_NAME 64
#define SEDGE_GMSH_EDGES 6 // of a tetrahedron

typedef enum sedge_gmsh_version {
    SEDGE_GMSH_2,
    SEDGE_GMSH_40,
    SEDGE_GMSH_41,
} sedge_gmsh_version;

typedef struct sedge_gmsh_name {
    int dimension; // -1: the file does not say (version 2.0)
    int tag;
    char name[SEDGE_GROUP_NAME];
} sedge_gmsh_name;

// A geometric entity of version 4, which blocks of elements refer to.
typedef struct sedge_gmsh_entity {
    int dimension, tag;
    int group[2]; // tags (>= 0) of the first two physical groups that contain it; 0: none
    bool filled;  // elements refer to it
} sedge_gmsh_entity;

typedef struct sedge_gmsh_entities {
    int64_t count;
    sedge_gmsh_entity *entity; // [count], sorted by dimension and tag; NULL: no such section
} sedge_gmsh_entities;

// A triangle of a surface group.
typedef struct sedge_gmsh_triangle {
    int32_t node[3];
    int32_t tag; // of the physical surface
} sedge_gmsh_triangle;

// Nodes of elements are indices into `points`. Tags of physical groups are made positive here: Gmsh
// writes negative tags for reversed entities.
typedef struct sedge_gmsh {
    sedge_cursor cursor;
    sedge_gmsh_version version;

    int names; // of physical groups
    sedge_gmsh_name *name;

    sedge_gmsh_entities entities;
    sedge_gmsh_entities parts; // of the entities, in a partitioned mesh

    int64_t nodes;
    double (*points)[3];  // [nodes][x,y,z]
    int64_t low, high;    // least and greatest number of a node
    int32_t *node_places; // [high - low + 1] by node number - low: 1 + the node's index in
                          // `points`; 0: no node has this number

    int order;             // of the tetrahedra
    int64_t most;          // tetrahedra that a file may have
    int64_t tets;          // at most `most`
    int64_t *numbers;      // [tets] of the elements
    int32_t (*corners)[4]; // [tets] nodes
    // [tets] the nodes of the edges 01, 02, 12, 03, 13, 23; NULL unless order is 2
    int32_t (*middles)[SEDGE_GMSH_EDGES];
    int32_t *tags;    // [tets] of the physical volumes; 0: none
    int32_t *volumes; // [tets] tags of the geometric volumes

    int64_t triangles, room;
    sedge_gmsh_triangle *triangle; // [triangles]
} sedge_gmsh;

// Read the word that ends a section. SEDGE_ERR_DATA with the place unless it is `expected`.
SEDGE_MUST_USE
sedge_status sedge_gmsh_end(sedge_gmsh *file, const char *expected);

// The next number of a node or an element.
SEDGE_MUST_USE
sedge_status sedge_gmsh_number(sedge_gmsh *file, int64_t *out);

// Check the tag of a physical group and make it positive.
SEDGE_MUST_USE
sedge_status sedge_gmsh_group(const sedge_gmsh *file, int64_t tag, int32_t *out);

// Write the name of a physical group of this dimension in quotes, or its tag if it has no name,
// into `text`.
#define SEDGE_GROUP_TEXT (SEDGE_GROUP_NAME + 2)
void sedge_gmsh_describe(const sedge_gmsh *file, int dimension, int tag,
                         char text[SEDGE_GROUP_TEXT]);

// The name of a physical group; NULL: it has none.
const char *sedge_gmsh_find_name(const sedge_gmsh *file, int dimension, int tag);

// Read one section. The cursor is behind the line with the section's name; afterwards it is behind
// the section's end.
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_entities(sedge_gmsh *file);
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_partitions(sedge_gmsh *file); // $PartitionedEntities
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_nodes(sedge_gmsh *file);
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_parametric(sedge_gmsh *file); // $ParametricNodes of version 2
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_elements(sedge_gmsh *file);

// The entity of this dimension and tag; NULL if there is none.
sedge_gmsh_entity *sedge_gmsh_find_entity(const sedge_gmsh *file, int64_t dimension, int64_t tag);

// The head of a block of nodes or elements in version 4: dimension and tag of an entity, a third
// number (whether nodes are parametric, or the element type) and the number of entries in the
// block.
typedef struct sedge_gmsh_block {
    int64_t dimension, tag, third, count;
} sedge_gmsh_block;

// An entry takes at least `bytes` bytes: a count that the rest of the file cannot hold is refused.
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_block(sedge_gmsh *file, sedge_gmsh_block *out, int bytes);

// The counts at the head of $Nodes and $Elements: of blocks (version 4 only), and of entries of at
// least `bytes` bytes. The smallest and largest number, which 4.1 also gives, are skipped.
SEDGE_MUST_USE
sedge_status sedge_gmsh_read_counts(sedge_gmsh *file, int64_t *blocks, int64_t *count, int bytes);

// Read the file at `path` up to the end of $Elements; SEDGE_ERR_DATA also if it has more than
// `most` tetrahedra. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_gmsh_open(sedge_gmsh **out, const char *path, int64_t most);
void sedge_gmsh_free(sedge_gmsh *file);
