#include "slots.h"

static int64_t count_batches(const sedge_slots *slots, const sedge_range *range)
{
    return ((int64_t)range->count + slots->lanes - 1) / slots->lanes;
}

static void add_batches(sedge_span *span, const sedge_slots *slots, int64_t count)
{
    if (span->count == 0) *span = (sedge_span){slots->batches, 0, slots->curved_batches};
    span->count += count;
}

sedge_slots sedge_slots_place(const sedge_mesh *mesh, int lanes)
{
    sedge_slots slots = {.mesh = mesh, .lanes = lanes};

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int64_t count = count_batches(&slots, range);

        add_batches(&slots.span[range->halo][range->curved], &slots, count);
        add_batches(&slots.level[range->halo][range->curved][range->level], &slots, count);
        slots.batches += count;
        if (range->curved) slots.curved_batches += count;
    }
    slots.count = slots.batches * lanes;
    return slots;
}

int64_t sedge_slots_first(const sedge_slots *slots, const sedge_range *range)
{
    int64_t first = 0;

    for (const sedge_range *r = slots->mesh->ranges; r < range; r++)
        first += count_batches(slots, r);
    return first;
}

int64_t sedge_slot(const sedge_slots *slots, int32_t element)
{
    const sedge_range *const range = sedge_mesh_range(slots->mesh, element);

    return sedge_slots_first(slots, range) * slots->lanes + (element - range->first);
}

int64_t sedge_curved_slot(const sedge_slots *slots, int32_t element)
{
    const sedge_span *const span = &slots->span[sedge_mesh_range(slots->mesh, element)->halo][true];

    return sedge_slot(slots, element) + (span->first_curve - span->first) * slots->lanes;
}
