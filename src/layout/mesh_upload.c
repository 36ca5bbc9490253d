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

// Add the faces between the levels `lesser` and `lesser` + 1 to the list, or with none count them.
static int64_t add_level_faces(sedge_level_face *list, const sedge_mesh *mesh, int lesser)
{
    int64_t count = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        if (range->level != lesser && range->level != lesser + 1) continue;
        if (range->level == lesser + 1 && !range->finer) continue;
        for (int32_t i = 0; i < SEDGE_FACES * range->count; i++) {
            const int32_t e = range->first + i / SEDGE_FACES;
            const sedge_face *const face = &mesh->faces[e][i % SEDGE_FACES];
            if (face->neighbour < 0) continue;
            const int level = sedge_mesh_level(mesh, face->neighbour);
            if (level == range->level || (level < range->level ? level : range->level) != lesser)
                continue;
            if (list != NULL) {
                list[count] = (sedge_level_face){.element = e,
                                                 .face = i % SEDGE_FACES,
                                                 .other = face->neighbour,
                                                 .other_face = face->face,
                                                 .level = level,
                                                 .behind = range->level - level};
            }
            count++;
        }
    }
    return count;
}

int64_t sedge_count_level_faces(const sedge_mesh *mesh)
{
    int64_t count = 0;

    for (int lesser = 0; lesser < mesh->levels - 1; lesser++)
        count += add_level_faces(NULL, mesh, lesser);
    return count;
}

sedge_status sedge_list_level_faces(sedge_level_face **out, int64_t *count, const sedge_mesh *mesh)
{
    *out = NULL;
    *count = 0;
    SEDGE_TRY(sedge_allocate(out, sedge_count_level_faces(mesh), sizeof **out));
    for (int lesser = 0; lesser < mesh->levels - 1; lesser++)
        *count += add_level_faces(*out + *count, mesh, lesser);
    return SEDGE_OK;
}

// Traces of faces between levels.
static sedge_status link_levels(link_job *job)
{
    const sedge_mesh *const mesh = job->slots->mesh;
    const int32_t first = mesh->halo_faces + mesh->boundary_faces;
    sedge_level_face *list;
    int64_t count;

    const sedge_status status = sedge_list_level_faces(&list, &count, mesh);
    for (int64_t i = 0; i < count && status == SEDGE_OK; i++) {
        const int64_t slot = sedge_slot(job->slots, list[i].element);
        job->links[slot * SEDGE_FACES + list[i].face][0] = (int32_t)(-1 - first - i);
    }
    sedge_release(list);
    return status;
}

sedge_status sedge_make_links(int32_t (**out)[2], const sedge_slots *slots, int threads)
{
    link_job job = {.slots = slots};

    SEDGE_TRY(sedge_allocate(&job.links, slots->count * SEDGE_FACES, sizeof *job.links));
    sedge_parallel(threads, slots->count, GRAIN, fill_empty, &job);
    sedge_parallel(threads, slots->mesh->elements, GRAIN, fill_links, &job);
    const sedge_status status = link_levels(&job);
    if (status != SEDGE_OK) sedge_release(job.links);
    *out = status == SEDGE_OK ? job.links : NULL;
    return status;
}

sedge_status sedge_upload_links(sedge_buffer **out, sedge_device *device, const sedge_slots *slots,
                                int threads)
{
    int32_t(*links)[2] = NULL;

    SEDGE_TRY(sedge_make_links(&links, slots, threads));
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
