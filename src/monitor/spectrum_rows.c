#include "spectrum_rows.h"

#include "base/hash.h"
#include "base/memory.h"
#include "monitor/deck_points.h"

#include <stdio.h>
#include <string.h>

// The points of the deck become the entry's points.
static sedge_status find_points(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                                const sedge_output_context *context)
{
    sedge_deck_points points;
    const sedge_status status = sedge_deck_points_find(
        &points, context, deck->points, deck->point_count, "the point of a spectrum");

    out->limit = deck->point_count;
    out->count = points.count;
    out->ids = points.ids;
    out->elements = points.elements;
    out->weights = points.weights;
    return status;
}

// The pixels of the plane become the entry's points.
static sedge_status find_pixels(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                                const sedge_output_context *context)
{
    sedge_plane *const plane = &out->plane;

    SEDGE_TRY(sedge_plane_create(plane, context, &deck->plane));
    out->limit = plane->shape[0] * plane->shape[1];
    out->count = plane->owned;
    out->elements = plane->elements;
    out->weights = plane->weights;
    out->ids = plane->pixels;
    plane->elements = NULL;
    plane->weights = NULL;
    plane->pixels = NULL;
    return SEDGE_OK;
}

// The sides of the surface's faces become the entry's rows.
static sedge_status find_faces(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                               const sedge_output_context *context)
{
    sedge_face_points *const faces = &out->faces;
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    sedge_deck_origin(origin, context->deck, "monitors.spectra", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.spectra.%s", origin, deck->name);
    SEDGE_TRY(sedge_face_points_create(faces, context, &deck->surface, where));
    out->limit = faces->limit;
    out->count = faces->sides;
    out->row_points = faces->side_points;
    out->elements = faces->elements;
    out->weights = faces->weights;
    out->ids = faces->ids;
    faces->elements = NULL;
    faces->weights = NULL;
    faces->ids = NULL;
    return SEDGE_OK;
}

// The elements of the volume groups become the entry's rows, their nodes its points; of a mesh with
// twins those of the first copy. These have no weights: they take their values from the whole
// fields.
static sedge_status find_elements(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                                  const sedge_output_context *context)
{
    const sedge_mesh *const mesh = context->mesh;
    sedge_status status;

    out->limit = mesh->global_elements;
    out->row_points = context->element->nodes;
    status = sedge_allocate(&out->row_of, mesh->elements, sizeof *out->row_of);
    if (status == SEDGE_OK) status = sedge_allocate(&out->ids, mesh->elements, sizeof *out->ids);
    if (status == SEDGE_OK)
        status = sedge_allocate(&out->elements, mesh->elements, sizeof *out->elements);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    for (int32_t e = 0; e < mesh->elements; e++) {
        const char *const name = mesh->groups.volume_names[mesh->group[e]];

        out->row_of[e] = -1;
        for (int k = 0; k < deck->group_count && sedge_mesh_copy(mesh, e) == 0; k++) {
            if (strcmp(deck->groups[k], name) != 0) continue;
            out->ids[out->count] = mesh->global_ids[e];
            out->elements[out->count] = e;
            out->row_of[e] = (int32_t)out->count++;
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_spectrum_rows_create(sedge_spectrum_rows *out, const sedge_deck_spectrum *deck,
                                        const sedge_output_context *context)
{
    *out = (sedge_spectrum_rows){.row_points = 1};
    switch (deck->place) {
    case SEDGE_SPECTRUM_POINTS:
        return find_points(out, deck, context);
    case SEDGE_SPECTRUM_PLANE:
        return find_pixels(out, deck, context);
    case SEDGE_SPECTRUM_SURFACE:
        return find_faces(out, deck, context);
    case SEDGE_SPECTRUM_GROUPS:
        return find_elements(out, deck, context);
    case SEDGE_SPECTRUM_PLACES:
        break;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a spectrum has the place %d", (int)deck->place);
}

void sedge_spectrum_rows_clear(const sedge_spectrum_rows *rows)
{
    sedge_plane_clear(&rows->plane);
    sedge_face_points_clear(&rows->faces);
    sedge_release(rows->elements);
    sedge_release(rows->weights);
    sedge_release(rows->ids);
    sedge_release(rows->row_of);
}

uint64_t sedge_spectrum_rows_hash(const sedge_deck_spectrum *deck)
{
    const int64_t head[] = {deck->place, deck->plane.axis, deck->plane.resolution};
    uint64_t sum = sedge_hash_quick(0, head, sizeof head);

    sum = sedge_hash_quick(sum, &deck->plane.position, sizeof deck->plane.position);
    sum = sedge_hash_quick(sum, deck->surface.name, sizeof deck->surface.name);
    for (int i = 0; i < deck->group_count; i++)
        sum = sedge_hash_quick(sum, deck->groups[i], sizeof deck->groups[i]);
    for (int i = 0; i < deck->point_count; i++)
        sum = sedge_hash_quick(sum, deck->points[i].position, sizeof deck->points[i].position);
    return sum;
}
