// Images: values on a regular grid of points in space, from a dataset of an HDF5 file.
//
// The dataset has three dimensions, x, y and z: element [i, j, k] is the value at
// origin + (i, j, k) * spacing, which is the centre of a voxel. An image divides a mesh's volume
// groups while the mesh is made (mesh/regroup.h).
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Where an image is, as a deck says it.
typedef struct sedge_image_source {
    char where[1024];             // with which messages about it begin
    char *file;                   // owned by whoever fills this in
    const char *dataset;          // borrowed
    bool has_origin, has_spacing; // else they are attributes of the dataset
    double origin[3], spacing[3];
    double unit; // a length in the attributes is so many of these
} sedge_image_source;

typedef struct sedge_image {
    int64_t count[3]; // an axis with one value has the same one everywhere
    double origin[3], spacing[3];
    float *values; // [x][y][z]
} sedge_image;

// Volume groups by labels: an element whose centre lies in a voxel with the value label[i] is in
// the group name[i]. Elements in other voxels, or in none, stay in the group that they have.
typedef struct sedge_image_labels {
    sedge_image_source image;
    int count;
    int *label; // [count] all different
    const char *
        *name; // [count] several labels may have one name; the names themselves are borrowed
} sedge_image_labels;

// A number of a volume group's material that varies in space: an element has the mean of the image
// over it, rounded (grades.h).
typedef struct sedge_image_grid {
    sedge_image_source image;
    const char *volume; // the volume group; borrowed
    int key;            // the number's place among the equation's keys of a material
    double unit;        // a value of the image is so many in code units
    bool positive;      // a value must be above 0
} sedge_image_grid;

#define SEDGE_IMAGE_NODES 10
#define SEDGE_LABEL_MAX   16777216 // up to here a float holds every whole number

// Read an image, all of whose values must be finite. SEDGE_ERR_DATA, with a message that begins
// with `where`. The caller clears it; clearing zeroes does nothing.
SEDGE_MUST_USE
sedge_status sedge_image_read(sedge_image *out, const sedge_image_source *source);
void sedge_image_clear(sedge_image *image);

// A number that changes with any value of the image, with its place and with its shape.
uint64_t sedge_image_checksum(const sedge_image *image);

// The image's values between their points, linear along each axis, as a mean over a tetrahedron:
// corners, then the nodes in the middle of its edges, in the order of sedge_edge_vertices
// (mesh/mesh.h). All points of the tetrahedron weigh the same in reference coordinates. False: it
// reaches more than half a spacing beyond the image, at the place `outside`.
bool sedge_image_average(const sedge_image *image, double node[SEDGE_IMAGE_NODES][3], double *mean,
                         double outside[3]);

// Where the image ends: [low, high] of its voxels. An axis with one value has no end.
void sedge_image_bounds(double bounds[2][3], const sedge_image *image);

// The value of the voxel that x lies in; false: in none.
bool sedge_image_find(const sedge_image *image, const double x[3], float *value);
