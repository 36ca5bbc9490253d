// The outer surface of the whole mesh: its triangles in space, how two of them meet, and a tree of
// bounding boxes that finds triangles near each other. Used by conform.c, on rank 0.
//
// A curved face is described by the triangle of its corners and a bound of its distance from it.
#pragma once

#include "global.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Tolerance relative to a face's longest edge: smaller lengths count as zero. Coordinates that are
// meant to be equal differ by less (files have 16 digits, OpenCASCADE's tolerance is 1e-7); an
// intended gap is wider. Periodic faces are matched with the same tolerance.
#define SEDGE_OUTER_TOLERANCE 1e-6

typedef struct sedge_outer_face {
    double x[3][3];       // corners, counterclockwise as seen from outside
    double middles[3][3]; // nodes of the edges 0 1, 1 2, 2 0; set where bend > 0
    double normal[3];     // outward, of length 1
    double size;          // longest edge
    double bend;          // largest distance of the face from the triangle, a bound; 0: flat
    int32_t vertex[3];    // of the corners
    int32_t element;
    int32_t group; // surface group; groups.surfaces: none
} sedge_outer_face;

typedef struct sedge_outer_box {
    double low[3], high[3];
} sedge_outer_box;

// A complete binary tree of bounding boxes over the faces, which are sorted along a Hilbert curve.
// Node n has the children 2n and 2n + 1; the root is 1.
typedef struct sedge_outer {
    int64_t count;
    sedge_outer_face *face; // [count]
    sedge_outer_box *own;   // [count] boxes of the faces, wider by bend and tolerance
    int64_t leaves;         // a power of two
    sedge_outer_box *boxes; // [2 leaves]; those of unused nodes are empty
    double rounding;        // bound of the rounding errors of coordinates
} sedge_outer;

// How two outer faces meet. Where two answers apply, the later one in this list is given.
typedef enum sedge_meeting {
    SEDGE_MEETING_NONE,     // they are apart, or touch in corners and edges only
    SEDGE_MEETING_EQUAL,    // back to back, the same triangle
    SEDGE_MEETING_TOUCHING, // back to back, over a part of their area
    SEDGE_MEETING_COVERING, // one lies on the other, and their elements are on the same side
    SEDGE_MEETING_CROSSING, // one goes through the other
} sedge_meeting;

// Collect the faces without a neighbour, except those of two-sided surfaces, which have elements of
// the mesh on both sides. Call after sedge_global_connect. The caller releases `outer` with
// sedge_outer_clear, also after a failure.
SEDGE_MUST_USE
sedge_status sedge_outer_init(sedge_outer *outer, const sedge_global *mesh);
void sedge_outer_clear(sedge_outer *outer);

// How the faces a and b meet. For curved faces: EQUAL or COVERING if all nodes agree; TOUCHING if
// they have one edge in common and lie on each other beside it; CROSSING if one goes through the
// other by more than they are bent; else NONE, because their triangles cannot resolve smaller
// distances.
sedge_meeting sedge_outer_meet(const sedge_outer_face *a, const sedge_outer_face *b,
                               double rounding);

// Call `visit` for each pair of faces whose boxes meet, a < b.
SEDGE_MUST_USE
sedge_status sedge_outer_visit_pairs(const sedge_outer *outer,
                                     sedge_status (*visit)(void *context, int64_t a, int64_t b),
                                     void *context);

// Count the volumes that contain the place just outside the centre of face i: cast a ray from
// there, and count the faces through which it leaves a volume minus those through which it enters
// one. False: the answer is not certain, because a curved face is near or all rays hit edges.
SEDGE_MUST_USE
bool sedge_outer_cover(const sedge_outer *outer, int64_t i, int *volumes);
