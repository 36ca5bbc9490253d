// Device buffers that tell kernels how elements are connected: the neighbour behind each face, and
// which nodes lie on a face. The caller frees the buffers.
#pragma once

#include "layout/slots.h"

#include "base/error.h"
#include "device/device.h"
#include "dg/element.h"

#include <stdint.h>

// The links [slots][4 faces] of two int32 each: the neighbour's slot, or -1 - i at trace face i;
// and the neighbour's face * 6 + orientation. The faces of an empty slot lead to themselves. Faces
// whose neighbour has another level of the time step have traces, too: behind those of the mesh, in
// the order of sedge_list_level_faces. Made by up to `threads` threads. The caller releases the
// list.
SEDGE_MUST_USE
sedge_status sedge_make_links(int32_t (**out)[2], const sedge_slots *slots, int threads);
SEDGE_MUST_USE
sedge_status sedge_upload_links(sedge_buffer **out, sedge_device *device, const sedge_slots *slots,
                                int threads);

// A face between two local elements of different levels, as one of them sees it.
typedef struct sedge_level_face {
    int32_t element, face;     // that see the trace
    int32_t other, other_face; // the neighbour, whose trace it is
    int level, behind;         // of the neighbour; of the element minus that
} sedge_level_face;

// All of them on this rank, in ascending order of the lesser level, then of the element. The caller
// releases the list. Not collective.
SEDGE_MUST_USE
sedge_status sedge_list_level_faces(sedge_level_face **out, int64_t *count, const sedge_mesh *mesh);

// How many that are. Not collective.
int64_t sedge_count_level_faces(const sedge_mesh *mesh);

// Slot and face of the mesh's trace faces [first, first + count), two int32 each.
SEDGE_MUST_USE
sedge_status sedge_upload_trace_faces(sedge_buffer **out, sedge_device *device,
                                      const sedge_slots *slots, int32_t first, int32_t count);

// Node numbers of faces, SEDGE_FACE_MAPS times face_nodes of them: the volume nodes of the own
// faces [4][face nodes]; then, for all 24 codes (face * 6 + orientation), the neighbour's volume
// nodes at the same places [24][face nodes], and these as numbers on the neighbour's face
// [24][face nodes].
#define SEDGE_FACE_MAPS 52
void sedge_fill_face_maps(int16_t *maps, const sedge_element *element);
