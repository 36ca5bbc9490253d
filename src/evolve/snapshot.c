#include "evolve/snapshot.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"

#include <string.h>

typedef struct snapshot_room {
    float *values;       // pinned
    sedge_event *copied; // they are there
} snapshot_room;

struct sedge_snapshot {
    sedge_operator *op;
    const operator_fields *fields; // steps change which of its buffers is the current one
    int64_t bytes;                 // of the values
    sedge_buffer *places, *weights, *first, *stride, *factor; // as the kernel reads them
    sedge_buffer *curve_batches, *node_places; // the same; NULL: the state is not covariant
    sedge_buffer *values;
    sedge_stream *copies;
    sedge_event *converted; // the values are on the device
    sedge_event *left;      // the last copy of them is done
    int rooms;
    snapshot_room *room; // [rooms]
};

// ---- what the kernel reads ---------------------------------------------------------------------

static sedge_status upload_places(sedge_snapshot *snapshot, const sedge_field_layout *layout)
{
    const sedge_operator *const op = snapshot->op;
    int32_t *places = NULL;

    SEDGE_TRY(sedge_allocate(&places, op->data.slots.count, sizeof *places));
    for (int64_t s = 0; s < op->data.slots.count; s++) places[s] = -1;
    for (int32_t i = 0; i < layout->count; i++)
        places[sedge_slot(&op->data.slots, layout->elements[i])] = i;
    return sedge_upload(&snapshot->places, op->device, places, op->data.slots.count,
                        sizeof *places);
}

// The weights of what the state is made of: of coefficients c with u = T c those of u times T.
static sedge_status upload_weights(sedge_snapshot *snapshot, const sedge_field_layout *layout)
{
    const sedge_operator *const op = snapshot->op;
    const int nodes = op->element->nodes;
    const int64_t count = (int64_t)nodes * nodes;
    double *weights = NULL;

    SEDGE_TRY(sedge_allocate(&weights, 2 * count, sizeof *weights));
    for (int n = 0; n < nodes; n++) {
        memcpy(weights + (int64_t)n * nodes, layout->weights + (int64_t)n * layout->padded,
               (size_t)nodes * sizeof *weights);
    }
    if (op->layout.basis != SEDGE_NODAL) {
        memcpy(weights + count, weights, (size_t)count * sizeof *weights);
        sedge_dense_multiply(weights, op->bernstein->to_nodal, true, weights + count, false, nodes,
                             nodes, nodes);
    }
    return sedge_upload(&snapshot->weights, op->device, weights, count, sizeof *weights);
}

// The numbers of batches among curved ones.
static sedge_status upload_curve_batches(sedge_snapshot *snapshot)
{
    const sedge_operator *const op = snapshot->op;
    const sedge_slots *const slots = &op->data.slots;
    int32_t *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, slots->batches, sizeof *list));
    for (int64_t b = 0; b < slots->batches; b++) list[b] = -1;
    for (int halo = 0; halo < 2; halo++) {
        const sedge_span *const span = &slots->span[halo][true];
        for (int64_t b = 0; b < span->count; b++)
            list[span->first + b] = (int32_t)(span->first_curve + b);
    }
    return sedge_upload(&snapshot->curve_batches, op->device, list, slots->batches, sizeof *list);
}

// The reference coordinates of the file's nodes.
static sedge_status upload_node_places(sedge_snapshot *snapshot, const sedge_field_layout *layout)
{
    const sedge_operator *const op = snapshot->op;
    const int nodes = op->element->nodes;
    double(*places)[3] = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&places, nodes, sizeof *places));
    for (int m = 0; m < nodes; m++)
        sedge_element_place(op->element, layout->weights + m, layout->padded, places[m]);
    status = sedge_upload_reals(&snapshot->node_places, op->device, op->layout.real_bytes,
                                (const double *)places, 3 * (int64_t)nodes);
    sedge_release(places);
    return status;
}

static sedge_status make_room(snapshot_room *room, sedge_device *device, int64_t bytes)
{
    SEDGE_TRY(sedge_pinned_allocate(&room->values, device, bytes));
    return sedge_event_create(&room->copied, device);
}

static sedge_status make_parts(sedge_snapshot *snapshot, const sedge_field_layout *layout)
{
    sedge_device *const device = snapshot->op->device;
    const int64_t fields = snapshot->op->problem->equation->fields;
    const int64_t bytes = fields * (int64_t)sizeof(double);

    SEDGE_TRY(upload_places(snapshot, layout));
    SEDGE_TRY(upload_weights(snapshot, layout));
    if (sedge_cubature_state_is_covariant(snapshot->op->problem)) {
        SEDGE_TRY(upload_curve_batches(snapshot));
        SEDGE_TRY(upload_node_places(snapshot, layout));
    }
    SEDGE_TRY(sedge_upload_copy(&snapshot->first, device, layout->first, bytes));
    SEDGE_TRY(sedge_upload_copy(&snapshot->stride, device, layout->stride, bytes));
    SEDGE_TRY(sedge_upload_copy(&snapshot->factor, device, layout->factor, bytes));
    SEDGE_TRY(sedge_buffer_create(&snapshot->values, device, snapshot->bytes));
    SEDGE_TRY(sedge_stream_create(&snapshot->copies, device, false));
    SEDGE_TRY(sedge_event_create(&snapshot->converted, device));
    SEDGE_TRY(sedge_event_create(&snapshot->left, device));
    SEDGE_TRY(sedge_allocate(&snapshot->room, snapshot->rooms, sizeof *snapshot->room));
    for (int i = 0; i < snapshot->rooms; i++)
        SEDGE_TRY(make_room(&snapshot->room[i], device, snapshot->bytes));
    return SEDGE_OK;
}

sedge_status sedge_snapshot_create(sedge_snapshot **out, sedge_evolution *evolution,
                                   const sedge_field_layout *layout, int rooms)
{
    sedge_snapshot *snapshot = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&snapshot, 1, sizeof *snapshot));
    *snapshot = (sedge_snapshot){.op = sedge_evolution_operator(evolution),
                                 .fields = sedge_evolution_fields(evolution),
                                 .bytes = layout->values * (int64_t)sizeof(float),
                                 .rooms = rooms};
    const sedge_status status = make_parts(snapshot, layout);
    if (status == SEDGE_OK) {
        *out = snapshot;
    } else {
        sedge_snapshot_free(snapshot);
    }
    return status;
}

void sedge_snapshot_free(sedge_snapshot *snapshot)
{
    if (snapshot == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(snapshot->op->main);
    if (snapshot->copies != NULL) (void)!sedge_stream_wait(snapshot->copies);
    for (int i = 0; i < snapshot->rooms && snapshot->room != NULL; i++) {
        sedge_event_free(snapshot->room[i].copied);
        sedge_pinned_release(snapshot->op->device, snapshot->room[i].values);
    }
    sedge_release(snapshot->room);
    sedge_event_free(snapshot->converted);
    sedge_event_free(snapshot->left);
    sedge_stream_free(snapshot->copies);
    sedge_buffer_free(snapshot->places);
    sedge_buffer_free(snapshot->weights);
    sedge_buffer_free(snapshot->first);
    sedge_buffer_free(snapshot->stride);
    sedge_buffer_free(snapshot->factor);
    sedge_buffer_free(snapshot->curve_batches);
    sedge_buffer_free(snapshot->node_places);
    sedge_buffer_free(snapshot->values);
    sedge_release(snapshot);
}

// ---- taking one --------------------------------------------------------------------------------

static sedge_status convert(const sedge_snapshot *snapshot)
{
    sedge_operator *const op = snapshot->op;
    uint64_t u = sedge_buffer_address(snapshot->fields->u[0]);
    uint64_t values = sedge_buffer_address(snapshot->values);
    uint64_t places = sedge_buffer_address(snapshot->places);
    uint64_t weights = sedge_buffer_address(snapshot->weights);
    uint64_t first = sedge_buffer_address(snapshot->first);
    uint64_t stride = sedge_buffer_address(snapshot->stride);
    uint64_t factor = sedge_buffer_address(snapshot->factor);
    const bool covariant = snapshot->curve_batches != NULL;
    uint64_t batches = covariant ? sedge_buffer_address(snapshot->curve_batches) : 0;
    uint64_t curves = op->data.curves != NULL ? sedge_buffer_address(op->data.curves) : 0;
    uint64_t node_places = covariant ? sedge_buffer_address(snapshot->node_places) : 0;
    void *const arguments[] = {&u,      &values, &places,  &weights, &first,
                               &stride, &factor, &batches, &curves,  &node_places};

    return operator_launch(&op->launcher, KERNEL_SNAPSHOT, op->main, op->data.slots.batches,
                           SEDGE_MONITOR_THREADS, arguments, covariant ? 10 : 7);
}

sedge_status sedge_snapshot_take(sedge_snapshot *snapshot, int room)
{
    const snapshot_room *const to = &snapshot->room[room];
    sedge_stream *const main = snapshot->op->main;

    if (snapshot->bytes == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_wait_event(main, snapshot->left));
    SEDGE_TRY(convert(snapshot));
    SEDGE_TRY(sedge_event_record(snapshot->converted, main));
    SEDGE_TRY(sedge_stream_wait_event(snapshot->copies, snapshot->converted));
    SEDGE_TRY(
        sedge_buffer_download(snapshot->values, 0, to->values, snapshot->bytes, snapshot->copies));
    SEDGE_TRY(sedge_event_record(snapshot->left, snapshot->copies));
    return sedge_event_record(to->copied, snapshot->copies);
}

sedge_status sedge_snapshot_wait(const sedge_snapshot *snapshot, int room)
{
    return sedge_event_wait(snapshot->room[room].copied);
}

const float *sedge_snapshot_values(const sedge_snapshot *snapshot, int room)
{
    return snapshot->room[room].values;
}
