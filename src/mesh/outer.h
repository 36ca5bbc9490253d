// The outer surface of the whole mesh: its triangles in space, how two of them meet, and a tree of
// boxes that finds those near each other. For conform.c, on rank 0.
//
// A curved face is the triangle of its corners and the distance that it may keep from it.
#pragma once

#include "global.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Lengths below this part of a face's longest edge are no lengths: coordinates that are meant to be
// equal differ by less (files have 16 digits, OpenCASCADE joins at 1e-7), a gap that is meant is
// wider. Periodic faces are matched to the same part.
#define SEDGE_OUTER_TOLERANCE 1e-6

typedef struct sedge_outer_face {
    double x[3][3];       // corners, counterclockwise as seen from outside
    double middles[3][3]; // nodes of the edges 0 1, 1 2, 2 0; set where bend > 0
    double normal[3];     // outward, of length 1
    double size;          // longest edge
    double bend;          // the face is off the triangle by at most this; 0: it is flat
    int32_t vertex[3];    // of the corners
    int32_t element;
    int32_t group; // surface group; groups.surfaces: none
} sedge_outer_face;

typedef struct sedge_outer_box {
    double low[3], high[3];
} sedge_outer_box;

// A complete binary tree of boxes over runs of faces along a Hilbert curve; node n has the children
// 2n and 2n + 1, the root is 1.
typedef struct sedge_outer {
    int64_t count;
    sedge_outer_face *face; // [count]
    sedge_outer_box *own;   // [count] boxes of the faces, wider by bend and tolerance
    int64_t leaves;         // a power of two
    sedge_outer_box *boxes; // [2 leaves]; those of unused nodes are empty
    double rounding;        // of the coordinates
} sedge_outer;

// How two outer faces meet; of two answers the later one.
typedef enum sedge_meeting {
    SEDGE_MEETING_NONE,     // apart, or in corners and edges alone
    SEDGE_MEETING_EQUAL,    // back to back, the same triangle
    SEDGE_MEETING_TOUCHING, // back to back, over a part of them
    SEDGE_MEETING_COVERING, // one on the other, with matter on the same side
    SEDGE_MEETING_CROSSING, // one goes through the other
} sedge_meeting;

// The faces that have no neighbour, but those of two-sided surfaces, both sides of which lie inside
// the mesh. After sedge_global_connect. The caller releases with sedge_outer_clear, also after a
// failure.
SEDGE_MUST_USE
sedge_status sedge_outer_init(sedge_outer *outer, const sedge_global *mesh);
void sedge_outer_clear(sedge_outer *outer);

// Of curved faces: EQUAL or COVERING with equal nodes, TOUCHING where they have one edge in common
// and lie on each other beside it, CROSSING where one goes through the other farther than they are
// bent; else NONE, for their triangles say nothing about narrower gaps.
sedge_meeting sedge_outer_meet(const sedge_outer_face *a, const sedge_outer_face *b,
                               double rounding);

// Call `visit` for each pair of faces whose boxes meet, a < b.
SEDGE_MUST_USE
sedge_status sedge_outer_visit_pairs(const sedge_outer *outer,
                                     sedge_status (*visit)(void *context, int64_t a, int64_t b),
                                     void *context);

// In how many volumes lies the place just outside the centre of face i? By the faces that a ray
// from there goes through, out of volumes and into them. False: it cannot be told there, as curved
// faces are near or all rays hit edges.
SEDGE_MUST_USE
bool sedge_outer_cover(const sedge_outer *outer, int64_t i, int *volumes);
