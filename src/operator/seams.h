// Seams: faces between a straight element and a curved one whose state is covariant. The curved
// element converts what is behind such a face itself. The straight one reads the tangential part of
// the fields from a trace slot, which a kernel fills (codegen/kernels/dg/curved/dg_seams.h); the
// slots of seams are behind all other trace slots. Also the frames at the nodes of curved elements'
// boundary faces, which take components to fields for boundary conditions. These functions do
// nothing where the problem's state is not covariant (sedge_cubature_state_is_covariant).
#pragma once

#include "operator/fields.h"
#include "operator/operator.h"
#include "time/integrator.h"

// Find the seams and, of the elements on other ranks, which are curved. Collective; the same status
// on all ranks.
SEDGE_MUST_USE
sedge_status operator_seams_create(sedge_operator *op);
void operator_seams_free(sedge_operator *op);

// Let the links [slots][4] of straight elements at seams lead to the seams' slots, and mark the
// links of curved elements that lead to straight ones.
void operator_seams_link(const sedge_operator *op, int32_t (*links)[2]);

// The present layout's list of seams; `links` are those before operator_seams_link.
SEDGE_MUST_USE
sedge_status operator_seams_upload(sedge_operator *op, int32_t (*links)[2]);

// A vector e with the components `along` the two vectors `across`: of all such the one in their
// plane.
void operator_seams_spread(double e[3], double across[2][3], const double along[2]);

// dx/dr and normals at the nodes of boundary faces of curved elements.
SEDGE_MUST_USE
sedge_status operator_frames_upload(sedge_operator *op);

// Bytes that these take on the device, `real` a number of it: at most, since of elements on other
// ranks it is not known which are curved. Not collective.
int64_t operator_seams_memory(const sedge_problem *problem, const sedge_mesh *mesh,
                              int64_t face_nodes, int64_t real);

// Arguments of the kernels that call conditions: the frames of boundary faces from `first` on.
typedef struct operator_frame_arguments {
    uint64_t rows, frames;
} operator_frame_arguments;
int operator_frames_list(void **arguments, operator_frame_arguments *values,
                         const sedge_operator *op, int64_t first);

// Fill the slots of seams of straight elements of levels `from` to `to`, behind which is an element
// of this rank, or (`remote`) of another one, whose traces have arrived. One launch.
SEDGE_MUST_USE
sedge_status operator_seams_run(sedge_operator *op, const operator_fields *fields,
                                sedge_stream *stream, bool remote, int from, int to);
