#include "mesh_upload.h"

#include "base/memory.h"
#include "layout/upload.h"

sedge_status sedge_upload_links(sedge_buffer **out, sedge_device *device, const sedge_slots *slots)
{
    const sedge_mesh *const mesh = slots->mesh;
    int32_t(*links)[2] = NULL;

    SEDGE_TRY(sedge_allocate(&links, slots->count * SEDGE_FACES, sizeof *links));
    for (int64_t slot = 0; slot < slots->count; slot++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            links[slot * SEDGE_FACES + f][0] = (int32_t)slot;
            links[slot * SEDGE_FACES + f][1] = f * 6;
        }
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            int32_t *const link = links[sedge_slot(slots, e) * SEDGE_FACES + f];
            link[0] = face->neighbour >= 0 ? (int32_t)sedge_slot(slots, face->neighbour)
                                           : face->neighbour;
            link[1] = face->face * 6 + face->orientation;
        }
    }
    return sedge_upload(out, device, links, slots->count * SEDGE_FACES, sizeof *links);
}

sedge_status sedge_upload_trace_faces(sedge_buffer **out, sedge_device *device,
                                      const sedge_slots *slots, int32_t first, int32_t count)
{
    int32_t(*list)[2] = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, sizeof *list));
    for (int32_t i = 0; i < count; i++) {
        const sedge_trace_face *const face = &slots->mesh->trace_faces[first + i];
        list[i][0] = (int32_t)sedge_slot(slots, face->element);
        list[i][1] = face->face;
    }
    return sedge_upload(out, device, list, count, sizeof *list);
}

void sedge_fill_face_maps(int16_t *maps, const sedge_element *element)
{
    const int width = element->face_nodes;

    for (int k = 0; k < SEDGE_FACES * width; k++) maps[k] = (int16_t)element->face_node[k];
    for (int code = 0; code < 24; code++) {
        const int *const permuted = element->permuted + (int64_t)code % 6 * width;
        for (int i = 0; i < width; i++) {
            maps[(4 + code) * width + i] =
                (int16_t)element->face_node[code / 6 * width + permuted[i]];
            maps[(28 + code) * width + i] = (int16_t)permuted[i];
        }
    }
}
