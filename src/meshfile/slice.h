// Consecutive elements of a mesh file, and their layout in the file.
#pragma once

#include "base/error.h"
#include "io/h5.h"
#include "mesh/mesh.h"

#include <stdint.h>

// The attribute `format` of the file. Another number means another layout.
#define SEDGE_MESH_FILE_FORMAT "sedge mesh 3"

// What lies behind a face, beside the neighbour.
enum { BEHIND_FACE, BEHIND_ORIENTATION, BEHIND_SECOND, BEHIND };

typedef struct mesh_slice {
    int64_t first;                          // row in the file
    int32_t count;                          // rows
    int64_t *number;                        // [count] of the element in the Gmsh file, from 0
    int32_t *group;                         // [count] volume group
    double (*corners)[4][3];                // [count]
    int64_t (*neighbour)[SEDGE_FACES];      // [count] row of the element behind the face; -1: none
    int32_t (*surface)[SEDGE_FACES];        // [count] surface group of the face; -1: none
    uint8_t (*behind)[SEDGE_FACES][BEHIND]; // [count] the neighbour's face, the orientation, and
                                            // whether this is the second side of a named surface
    int64_t *curve; // [count] row of the edges' nodes of a curved element; -1: straight
    int64_t first_curve;
    int32_t curved;
    double (*middles)[SEDGE_EDGES][3]; // [curved]
    double (*planes)[3];               // [count] see sedge_mesh; NULL: no radial layers
} mesh_slice;

// A dataset with a row for each element.
typedef struct mesh_column {
    const char *path;
    sedge_h5_type type;
    int rank; // of the dataset
    int64_t shape[SEDGE_H5_DIMENSIONS];
    void *data; // of the slice
} mesh_column;

#define MESH_COLUMNS 7
#define MESH_MIDDLES "/edges/middles" // [curved elements][edge][x,y,z] F64

#define MESH_PLANES "/elements/plane" // [elements][x,y,z] F64; only with radial layers

// The columns of a slice of a file of so many elements.
void mesh_slice_columns(mesh_column columns[MESH_COLUMNS], const mesh_slice *slice,
                        int64_t elements);

// Space for `count` elements, without middles.
SEDGE_MUST_USE
sedge_status mesh_slice_allocate(mesh_slice *slice, int32_t count);
void mesh_slice_release(mesh_slice *slice);

// The first row of a rank's slice; `rank` may be the number of ranks.
int64_t mesh_slice_first(int64_t elements, int rank, int ranks);

// The rank in whose slice the row is.
int mesh_slice_home(int64_t elements, int64_t row, int ranks);

// Read and check the slice of this rank, in the file's coordinates times `scale`. `mesh` has the
// data of the whole mesh. Collective.
SEDGE_MUST_USE
sedge_status mesh_slice_read(mesh_slice *slice, sedge_h5 *file, const char *path, double scale,
                             const sedge_mesh *mesh, const sedge_comm *comm);
