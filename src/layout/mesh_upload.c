#include "mesh_upload.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "layout/upload.h"

enum { GRAIN = 16384 }; // elements for one thread

typedef struct link_job {
    const sedge_slots *slots;
    int32_t (*links)[2];
} link_job;

static void fill_empty(void *context, int64_t first, int64_t end)
{
    const link_job *const job = context;

    for (int64_t i = first * SEDGE_FACES; i < end * SEDGE_FACES; i++) {
        job->links[i][0] = (int32_t)(i / SEDGE_FACES);
        job->links[i][1] = (int32_t)(i % SEDGE_FACES) * 6;
    }
}

static void fill_links(void *context, int64_t first, int64_t end)
{
    const link_job *const job = context;
    const sedge_slots *const slots = job->slots;

    for (int32_t e = (int32_t)first; e < (int32_t)end; e++) {
        const int64_t slot = sedge_slot(slots, e);
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &slots->mesh->faces[e][f];
            int32_t *const link = job->links[slot * SEDGE_FACES + f];
            link[0] = face->neighbour >= 0 ? (int32_t)sedge_slot(slots, face->neighbour)
                                           : face->neighbour;
            link[1] = face->face * 6 + face->orientation;
        }
    }
}

sedge_status sedge_upload_links(sedge_buffer **out, sedge_device *device, const sedge_slots *slots,
                                int threads)
{
    link_job job = {.slots = slots};

    SEDGE_TRY(sedge_allocate(&job.links, slots->count * SEDGE_FACES, sizeof *job.links));
    sedge_parallel(threads, slots->count, GRAIN, fill_empty, &job);
    sedge_parallel(threads, slots->mesh->elements, GRAIN, fill_links, &job);
    return sedge_upload(out, device, job.links, slots->count * SEDGE_FACES, sizeof *job.links);
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
