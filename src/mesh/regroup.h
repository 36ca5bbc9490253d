// Volume groups that the file does not have: of absorbing layers (sedge_mesh_extrusion), of the
// labels of an image and of graded numbers (image/image.h). Used on rank 0 while the mesh is built.
#pragma once

#include "global.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// The box around the elements that are not marked in `left_out` [elements]; NULL: around all.
// Returns how near to a side of the box a point lies on it.
double sedge_global_find_box(double box[2][3], const sedge_global *mesh, const bool *left_out);

// Put the elements of layers into groups of their own (sedge_mesh_groups): one for each volume
// group that has some and each set of axes. Those of one volume group are together, in its place
// among the others. axes [elements], bit d: the element is in a layer along axis d.
SEDGE_MUST_USE
sedge_status sedge_global_group_layers(sedge_global *mesh, const uint8_t *axes);

// Put elements into the groups of `labels` (NULL: there are none), which are added behind those of
// the mesh if it does not have them; their tags are the labels. Groups that lose all elements are
// removed. SEDGE_ERR_DATA: the image cannot be read, or a label has no voxel or no element. Call
// before anything else has the numbers of groups.
SEDGE_MUST_USE
sedge_status sedge_global_label(sedge_global *mesh, const struct sedge_image_labels *labels);

// Give the elements of groups with graded numbers their grades: `grade` and `grades` of the mesh.
// SEDGE_ERR_DATA: an image cannot be read, does not cover its group, or has a value there that the
// number must not have. After sedge_global_label. Groups that the mesh does not have are left out.
SEDGE_MUST_USE
sedge_status sedge_global_grade(sedge_global *mesh, const sedge_mesh_options *options);

// Divide the groups by grades (sedge_mesh_groups), last of all, when nothing more of the mesh
// depends on which groups meet.
SEDGE_MUST_USE
sedge_status sedge_global_divide(sedge_global *mesh);

// Find along which axes the elements of the volume groups `request->volume` are layers, and group
// them. The elements of all other groups have a box around them; a layer's element lies outside of
// at least one side of it, and crosses no plane of a side. SEDGE_ERR_DATA if one does; its message
// names the element. Call before the faces are connected.
SEDGE_MUST_USE
sedge_status sedge_global_find_layers(sedge_global *mesh, const sedge_mesh_extrusion *request);
