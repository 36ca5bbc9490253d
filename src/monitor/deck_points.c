#include "deck_points.h"

#include "base/memory.h"
#include "monitor/output_describe.h"

#include <string.h>

// Where the points are, [count] each: found by all ranks together.
typedef struct found_points {
    double (*places)[3], (*rst)[3];
    int32_t *elements;
    int *owners;
} found_points;

// Keep the points whose element is this rank's.
static sedge_status keep_points(sedge_deck_points *out, const sedge_output_context *context,
                                const found_points *found, int count)
{
    const int nodes = context->element->nodes;

    SEDGE_TRY(sedge_allocate(&out->ids, count, sizeof *out->ids));
    SEDGE_TRY(sedge_allocate(&out->elements, count, sizeof *out->elements));
    SEDGE_TRY(sedge_allocate(&out->weights, (int64_t)count * nodes, sizeof *out->weights));
    for (int i = 0; i < count; i++) {
        const double *const r = found->rst[i];

        if (found->elements[i] < 0) continue;
        out->ids[out->count] = i;
        out->elements[out->count] = found->elements[i];
        SEDGE_TRY(sedge_element_interpolate(context->element, r[0], r[1], r[2],
                                            out->weights + out->count++ * nodes));
    }
    return SEDGE_OK;
}

sedge_status sedge_deck_points_find(sedge_deck_points *out, const sedge_output_context *context,
                                    const sedge_deck_probe *points, int count, const char *what)
{
    found_points found = {0};

    *out = (sedge_deck_points){0};
    sedge_status status = sedge_allocate(&found.places, count, sizeof *found.places);
    if (status == SEDGE_OK) status = sedge_allocate(&found.rst, count, sizeof *found.rst);
    if (status == SEDGE_OK) status = sedge_allocate(&found.elements, count, sizeof *found.elements);
    if (status == SEDGE_OK) status = sedge_allocate(&found.owners, count, sizeof *found.owners);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int i = 0; i < count; i++)
        memcpy(found.places[i], points[i].position, sizeof *found.places);
    SEDGE_TRY_GOTO(status,
                   sedge_mesh_claim(found.owners, found.elements, found.rst, context->comm,
                                    context->mesh, (const double(*)[3])found.places, count));
    for (int i = 0; i < count && status == SEDGE_OK; i++) {
        if (found.owners[i] < 0)
            status = SEDGE_FAIL(SEDGE_ERR_INTERNAL, "%s '%s' has no element", what, points[i].name);
    }
    if (status == SEDGE_OK) status = keep_points(out, context, &found, count);
    status = sedge_comm_agree(context->comm, status);
done:
    sedge_release(found.places);
    sedge_release(found.rst);
    sedge_release(found.elements);
    sedge_release(found.owners);
    return status;
}

void sedge_deck_points_clear(const sedge_deck_points *points)
{
    sedge_release(points->ids);
    sedge_release(points->elements);
    sedge_release(points->weights);
}

sedge_status sedge_deck_points_list(sedge_monitor_point **out, const sedge_deck_points *points,
                                    const sedge_output_context *context)
{
    const int64_t count = points->count;
    const int copies = sedge_output_parts(context);

    SEDGE_TRY(sedge_comm_agree(context->comm, sedge_allocate(out, copies * count, sizeof **out)));
    for (int64_t i = 0; i < copies * count; i++) {
        const int32_t e = points->elements[i % count];
        (*out)[i] =
            (sedge_monitor_point){.element = i < count ? e : sedge_mesh_twin(e),
                                  .weights = points->weights + i % count * context->element->nodes};
    }
    return SEDGE_OK;
}
