// The symmetry of the tetrahedron that makes products with reference operators cheaper.
//
// Four permutations g_0..g_3 of the vertices, g_j: v -> v ^ j, form a group (exchanges of two pairs
// of vertices, and the identity). A set of points that they map to itself consists of orbits, each
// with the images g_0 p .. g_3 p of its first point p, of which two or all four may be the same
// point. An operator A from nodes to points that does not change if both are permuted becomes four
// small matrices, one for each sign pattern z of the group, sign(z, j) = (-1)^(bits of z & j):
//
//   x^_z[o] = sum_j sign(z, j) x[g_j o],  y^_z[q] = sum_o A_z[q][o] x^_z[o],
//   (A x)[g_j q] = sum_z sign(z, j) y^_z[q]
//
// with a quarter of the products of A x, up to orbits with less than four points.
//
// If the operator does not change under reflections t either, exchanges of two vertices, each A_z
// falls into two blocks. t takes orbits to orbits, t o = g_m o', and keeps the signs of
// pattern z if it exchanges vertex 0 and sedge_orbits_partner(z). Then reflected x have sign(z, m)
// x^_z[o'] in place of x^_z[o], and A_z takes what is even under this to what is even, odd to odd:
// half of the products again, up to orbits that are their own images.
#pragma once

#include "base/error.h"

#define SEDGE_ORBIT_POINTS 4 // images, and sign patterns

// o' and sign(z, m) of an orbit o and a sign pattern z.
typedef struct sedge_orbit_image {
    int orbit;
    int sign;
} sedge_orbit_image;

typedef struct sedge_orbits {
    int count;
    int (*member)[SEDGE_ORBIT_POINTS];              // [count] numbers of the points g_0 p .. g_3 p
    sedge_orbit_image (*image)[SEDGE_ORBIT_POINTS]; // [count][z]; NULL: no reflections
} sedge_orbits;

// The orbits of `points` places (r, s, t) of the reference tetrahedron, in the order of their first
// points; their images where reflections, too, map the set to itself. SEDGE_ERR_MEMORY,
// SEDGE_ERR_INTERNAL where the set is not symmetric. The caller clears them. No function here is
// collective.
SEDGE_MUST_USE
sedge_status sedge_orbits_create(sedge_orbits *out, double (*place)[3], int points);
void sedge_orbits_clear(sedge_orbits *orbits);

// The vertex that the reflection of pattern z exchanges with vertex 0; where it takes a place.
int sedge_orbits_partner(int z);
void sedge_orbits_reflect(double out[3], const double place[3], int z);

// The orbit that contains point number `point`, as one does, and sign(z, m) of its member m that is
// the point.
sedge_orbit_image sedge_orbits_find(const sedge_orbits *orbits, int point, int z);

// How many of the four images are the orbit's first point.
int sedge_orbits_repeats(const sedge_orbits *orbits, int orbit);

// g_j at a place, or of a face: the face whose points are the images of those of face 0.
void sedge_orbits_map(double out[3], const double place[3], int j);
int sedge_orbits_face(int j);

// A_z [4][rows->count][columns->count] of a matrix A [.][width] by the numbers of the points.
void sedge_orbits_reduce(double *out, const double *a, int width, const sedge_orbits *rows,
                         const sedge_orbits *columns);
