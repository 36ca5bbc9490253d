// The records of elements that rank 0 sends to each rank, and the functions that make a rank's mesh
// from them.
#pragma once

#include "global.h"
#include "mesh.h"

#include "base/error.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// What lies behind one face, described without tables of the whole mesh.
typedef struct sedge_record_face {
    int64_t neighbour; // global id of the element on the other side; -1: there is none
    int32_t rank;      // owner of the neighbour
    int32_t position;  // of the neighbour among the records of its rank
    int32_t group;     // volume group of the neighbour
    int32_t surface;   // surface group of the face; -1: in none
    int8_t face, orientation;
    bool boundary; // an outer face, or one side of a two-sided surface with an element behind it
    bool second;   // see sedge_set_face
} sedge_record_face;

typedef struct sedge_record {
    int64_t id;
    int32_t group;
    int32_t curve; // number of the element's nodes of edges among those of its part; -1: straight
    double corners[4][3];
    double plane[3]; // see planes of sedge_mesh; zero without
    sedge_record_face faces[SEDGE_FACES];
} sedge_record;

// Send each rank the records of its elements, by ascending id, and all ranks the data of the whole
// mesh (counts, bounds, groups) into `mesh`. `*middles` gets the edge nodes of the curved elements.
// `global` and `part` are read on rank 0 only. The caller releases `*records` and `*middles` with
// sedge_release. Collective.
SEDGE_MUST_USE
sedge_status sedge_local_distribute(sedge_mesh *mesh, sedge_record **records,
                                    double (**middles)[SEDGE_EDGES][3], int32_t *count,
                                    const sedge_global *global, const int32_t *part,
                                    const sedge_comm *comm);

// Number the elements of this rank by ranges, and within these by the options' numbering, and fill
// the local members of `mesh`: ranges, what each element has, trace slots and peers.
SEDGE_MUST_USE
sedge_status sedge_local_number(sedge_mesh *mesh, const sedge_record *records,
                                double (*middles)[SEDGE_EDGES][3], int32_t count, int rank,
                                const sedge_mesh_options *options);

// Change an order of the elements, `order` [elements] and its inverse `number`, so that neighbours
// come to lie in the same run of ten, within each of the mesh's ranges.
SEDGE_MUST_USE
sedge_status sedge_local_cluster(int32_t *number, int32_t *order, const sedge_mesh *mesh,
                                 const sedge_record *records, int rank, int threads);

// The arrays with an entry for each element, trace face or side of this rank, which other numbers
// of elements replace; not `ranges` and `set_offsets`. Release them, or set them to NULL where
// another mesh has them. Not collective.
void sedge_mesh_release_numbered(const sedge_mesh *mesh);
void sedge_mesh_forget_numbered(sedge_mesh *mesh);
