// What rank 0 sends to each rank, and how a rank makes its mesh of it.
#pragma once

#include "global.h"
#include "mesh.h"

#include "base/error.h"
#include "par/comm.h"

#include <stdint.h>

// What lies behind one face, in terms that need no table of the whole mesh.
typedef struct sedge_record_face {
    int64_t neighbour; // global id; -1: boundary
    int32_t rank;      // owner of the neighbour
    int32_t position;  // of the neighbour among the records of its rank
    int32_t group;     // volume group of the neighbour, surface group of a boundary face
    int8_t face, orientation;
} sedge_record_face;

typedef struct sedge_record {
    int64_t id;
    int32_t group;
    int32_t curve; // number of the element's nodes of edges among those of its part; -1: straight
    double corners[4][3];
    sedge_record_face faces[SEDGE_FACES];
} sedge_record;

// Send each rank the records of its elements, by ascending id, and everybody the data of the whole
// mesh (counts, bounds, groups) into `mesh`. `*middles` gets the nodes of edges of the curved
// ones. `global` and `part` are read on rank 0 only. The caller releases `*records` and `*middles`
// with sedge_release. Collective.
SEDGE_MUST_USE
sedge_status sedge_local_distribute(sedge_mesh *mesh, sedge_record **records,
                                    double (**middles)[SEDGE_EDGES][3], int32_t *count,
                                    const sedge_global *global, const int32_t *part,
                                    const sedge_comm *comm);

// Number the elements of this rank and fill the local members of `mesh`: interior elements, then
// those with halo faces, in both the curved ones last, and within these ranges by the options'
// numbering; trace slots and peers. Reverse Cuthill-McKee wants sedge_petsc_start first.
SEDGE_MUST_USE
sedge_status sedge_local_number(sedge_mesh *mesh, const sedge_record *records,
                                double (*middles)[SEDGE_EDGES][3], int32_t count, int rank,
                                const sedge_mesh_options *options);

// Change an order of the elements, `order` [elements] and its inverse `number`, so that neighbours
// come to lie in the same run of ten, within each of five ranges: ranges[i] to ranges[i + 1].
SEDGE_MUST_USE
sedge_status sedge_local_cluster(int32_t *number, int32_t *order, const int32_t ranges[6],
                                 const sedge_record *records, int rank);

// Places of the records in the reverse Cuthill-McKee order of this rank's neighbours. After
// sedge_petsc_start.
SEDGE_MUST_USE
sedge_status sedge_local_rcm(int32_t *place, const sedge_record *records, int32_t count, int rank);
