#include "slots.h"

// The elements of a span.
typedef struct elements {
    int32_t first, count;
} elements;

static elements get_elements(const sedge_mesh *mesh, bool halo, bool curved)
{
    const int32_t first = halo ? sedge_mesh_interior(mesh) : 0;
    const int32_t straight = sedge_mesh_count(mesh, halo, false);

    return curved ? (elements){first + straight, sedge_mesh_count(mesh, halo, true)}
                  : (elements){first, straight};
}

sedge_slots sedge_slots_place(const sedge_mesh *mesh, int lanes)
{
    sedge_slots slots = {.mesh = mesh, .lanes = lanes};

    for (int k = 0; k < 4; k++) {
        const bool halo = k / 2 == 1;
        const bool curved = k % 2 == 1;
        const int32_t count = get_elements(mesh, halo, curved).count;
        sedge_span *const span = &slots.span[halo][curved];

        *span = (sedge_span){.first = slots.batches, .count = ((int64_t)count + lanes - 1) / lanes};
        slots.batches += span->count;
        if (!curved) continue;
        span->first_curve = slots.curved_batches;
        slots.curved_batches += span->count;
    }
    slots.count = slots.batches * lanes;
    return slots;
}

int64_t sedge_slot(const sedge_slots *slots, int32_t element)
{
    const sedge_range *const range = sedge_mesh_range(slots->mesh, element);
    const sedge_span *const span = &slots->span[range->halo][range->curved];
    const elements of_span = get_elements(slots->mesh, range->halo, range->curved);

    return span->first * slots->lanes + (element - of_span.first);
}

int64_t sedge_curved_slot(const sedge_slots *slots, int32_t element)
{
    const sedge_span *const span = &slots->span[sedge_mesh_range(slots->mesh, element)->halo][true];

    return sedge_slot(slots, element) + (span->first_curve - span->first) * slots->lanes;
}
