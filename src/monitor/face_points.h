// Quadrature points on a named surface of the mesh, outside or inside, with normals and weights.
//
// A face inside the mesh has two sides, on one rank or on two; the fields have a trace on each.
// Both sides have the same points in the same order, and each counts half. Of a mesh with twins
// only the first copy's sides are listed. The quadrature is exact for polynomials of degree 2 N +
// 2: products of two fields on straight faces, and more.
#pragma once

#include "monitor/output_context.h"

typedef struct sedge_face_points {
    int32_t sides;        // of this rank
    int side_points;      // points of a side
    int64_t limit;        // ids are below it
    int64_t *ids;         // [sides] 4 * number of the element in the mesh file + face
    double *share;        // [sides] 1/2 if the face has another side in the surface, else 1
    int32_t *elements;    // [sides][side_points]
    double *weights;      // [sides][side_points][nodes], of the element's nodal values
    double (*place)[3];   // [sides][side_points]
    double (*normal)[3];  // [sides][side_points] unit, the same on both sides of a face, unless the
                          // surface asks for those out of each side's own element
    double *area;         // [sides][side_points] quadrature weight: part of the surface's area
    double (*corners)[9]; // [sides] the face's corners in ascending order
} sedge_face_points;

// The points of a surface group. If the deck does not say which way the normals point, they point
// out of the mesh, and on faces inside it out of the volume group that comes first in the mesh.
// `where` begins messages. SEDGE_ERR_USAGE: on some face neither that nor `out_of` gives a
// direction. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_face_points_create(sedge_face_points *out, const sedge_output_context *context,
                                      const sedge_deck_surface *surface, const char *where);
void sedge_face_points_clear(const sedge_face_points *points);

// The sides of all ranks, as faces: see sedge_face_points_join.
typedef struct sedge_joined_faces {
    int64_t faces;
    int64_t *target;    // [gathered sides][side_points] number of the point in the whole surface
    double *share;      // [gathered sides]
    double (*place)[3]; // [faces][side_points], as the following
    double (*normal)[3];
    double *area;
} sedge_joined_faces;

struct sedge_gather;

// Root: number the faces, the same on any number of ranks, and join their sides. `gather` is that
// of the sides' ids. Other ranks get nothing. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_face_points_join(sedge_joined_faces *out, const sedge_face_points *points,
                                    const sedge_comm *comm, const struct sedge_gather *gather);
void sedge_joined_faces_clear(const sedge_joined_faces *faces);
