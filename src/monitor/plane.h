// The pixels of a plane: points on a rectangle normal to an axis, which spans the mesh without
// layers. Points are the pixels' centres; a point takes the value of the element that contains it,
// not a mean over neighbours; a point outside the mesh belongs to no rank. Each rank has its
// points' elements and weights.
#pragma once

#include "io/h5.h"
#include "monitor/output_context.h"

typedef struct sedge_plane {
    const sedge_deck_slice *entry; // of the deck
    int axes[2];                   // of columns, of rows
    int64_t shape[2];              // rows, columns
    double step[2];                // along columns, along rows
    int64_t owned;                 // points of this rank
    int32_t *elements;             // [owned]
    double *weights;               // [owned][nodes]
    int64_t *pixels;               // [owned] row * columns + column
} sedge_plane;

// Find the points. Keeps `entry`. Clear it in any case. SEDGE_ERR_USAGE: the plane lies outside the
// mesh, or has too many points. Collective.
SEDGE_MUST_USE
sedge_status sedge_plane_create(sedge_plane *out, const sedge_output_context *context,
                                const sedge_deck_slice *entry);
void sedge_plane_clear(const sedge_plane *plane);

// Write the plane's attributes and the coordinates of its columns and rows into the group `folder`
// of a file. Root.
SEDGE_MUST_USE
sedge_status sedge_plane_describe(const sedge_plane *plane, const sedge_output_context *context,
                                  sedge_h5 *file, const char *folder);

// Reference coordinates of a point in or near element e, by its `map` where it is straight; returns
// twice the least barycentric one: at least SEDGE_PLANE_INSIDE of a point that counts as inside.
#define SEDGE_PLANE_INSIDE -2e-9
double sedge_plane_find_inside(const sedge_mesh *mesh, int32_t e, const sedge_geometry *map,
                               const double point[3], double rst[3]);
