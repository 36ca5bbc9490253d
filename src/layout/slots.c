#include "slots.h"

// The elements of a span.
typedef struct elements {
    int32_t first, count;
} elements;

static elements get_elements(const sedge_mesh *mesh, bool halo, bool curved)
{
    const int32_t first = halo ? mesh->interior : 0;
    const int32_t last = halo ? mesh->elements : mesh->interior;
    const int32_t first_curved = last - (halo ? mesh->edge_curved : mesh->interior_curved);

    return curved ? (elements){first_curved, last - first_curved}
                  : (elements){first, first_curved - first};
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
    const bool halo = element >= slots->mesh->interior;
    const bool curved = sedge_mesh_curve(slots->mesh, element) >= 0;
    const sedge_span *const span = &slots->span[halo][curved];

    return span->first * slots->lanes + (element - get_elements(slots->mesh, halo, curved).first);
}

int64_t sedge_curved_slot(const sedge_slots *slots, int32_t element)
{
    const sedge_span *const span = &slots->span[element >= slots->mesh->interior][true];

    return sedge_slot(slots, element) + (span->first_curve - span->first) * slots->lanes;
}
