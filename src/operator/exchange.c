// Traces of other ranks: packed, on their way beside the interior's work, timed.
#include "operator/exchange.h"

#include "base/memory.h"
#include "device/range.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/step_traces.h"

static sedge_status make_offsets(int64_t **out, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int64_t face_bytes =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;

    SEDGE_TRY(sedge_allocate(out, mesh->peers + 1LL, sizeof **out));
    for (int i = 1; i <= mesh->peers; i++) (*out)[i] = mesh->peer_offsets[i] * face_bytes;
    return SEDGE_OK;
}

// [levels - 1][peers]: in a tick where steps of levels up to `level` begin, the bytes of the faces
// of such elements, on either side. In a tick where steps of all levels begin these are all bytes.
static sedge_status make_lengths(int64_t **out, const sedge_operator *op, const int64_t *offsets)
{
    const sedge_mesh *const mesh = op->mesh;

    SEDGE_TRY(sedge_allocate(out, (mesh->levels - 1LL) * mesh->peers, sizeof **out));
    for (int level = 0; level + 1 < mesh->levels; level++) {
        for (int p = 0; p < mesh->peers; p++) {
            const int32_t first = mesh->peer_offsets[p];
            int32_t end = first;
            while (end < mesh->peer_offsets[p + 1] && sedge_mesh_slot_level(mesh, end) <= level)
                end++;
            (*out)[level * mesh->peers + p] =
                (end - first) * (offsets[p + 1] - offsets[p]) / (mesh->peer_offsets[p + 1] - first);
        }
    }
    return SEDGE_OK;
}

// As sedge_parcel of dg_sent.h.
typedef struct parcel {
    int64_t first, bytes, flag;
} parcel;

// Where the traces go in both turns of the halo: all of them behind `packed`, or what is for each
// peer into that one's memory.
static void list_parcels(parcel *list, const sedge_operator *op, const int64_t *offsets)
{
    const sedge_halo *const halo = op->exchange.halo;
    const uint64_t packed = sedge_buffer_address(op->exchange.packed);

    for (int i = 0; i < 2 * op->exchange.parcel_count && sedge_halo_stores(halo); i++) {
        const int peer = i % op->mesh->peers;
        const uint64_t outlet = sedge_halo_outlet(halo, peer, i / op->mesh->peers);
        list[i].first = offsets[peer] / op->layout.real_bytes;
        list[i].bytes = (int64_t)(outlet - packed) - offsets[peer];
        list[i].flag = (int64_t)(sedge_halo_flag(halo, peer, i / op->mesh->peers) - packed);
    }
}

static sedge_status make_parcels(sedge_operator *op, const int64_t *offsets)
{
    parcel *list = NULL;
    sedge_status status;

    if (op->exchange.packed == NULL) return SEDGE_OK;
    op->exchange.parcel_count = sedge_halo_stores(op->exchange.halo) ? op->mesh->peers : 1;
    const int64_t rows = 2LL * op->exchange.parcel_count + 1; // the last one has the counter
    const int64_t bytes = rows * (int64_t)sizeof *list;
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, rows, sizeof *list));
    list_parcels(list, op, offsets);
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&op->exchange.parcels, op->device, bytes));
    status = sedge_buffer_upload(op->exchange.parcels, 0, list, bytes, NULL);
done:
    sedge_release(list);
    return status;
}

sedge_status operator_exchange_create(sedge_operator *op)
{
    sedge_status status;
    int64_t *offsets = NULL;
    int64_t *lengths = NULL;

    status = make_offsets(&offsets, op);
    if (status == SEDGE_OK) status = make_lengths(&lengths, op, offsets);
    if (status == SEDGE_OK && op->mesh->halo_faces > 0)
        status = sedge_buffer_create(&op->exchange.packed, op->device, offsets[op->mesh->peers]);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    const sedge_halo_plan plan = {.peers = op->mesh->peers,
                                  .ranks = op->mesh->peer_ranks,
                                  .send_offsets = offsets,
                                  .receive_offsets = offsets,
                                  .packed = op->exchange.packed,
                                  .target = op->faces.trace,
                                  .parts = op->mesh->levels - 1,
                                  .lengths = lengths,
                                  .stores = true};
    SEDGE_TRY_GOTO(status, sedge_halo_create(&op->exchange.halo, op->comm, op->device, &plan));
    status = sedge_comm_agree(op->comm, make_parcels(op, offsets));
done:
    sedge_release(offsets);
    sedge_release(lengths);
    return status;
}

bool sedge_operator_waits(const sedge_operator *op)
{
    return sedge_halo_waits(op->exchange.halo);
}

const char *sedge_operator_transport(const sedge_operator *op)
{
    return sedge_halo_transport(op->exchange.halo);
}

// The parcels of the next exchange.
static operator_parcels find_parcels(const sedge_operator *op)
{
    const sedge_halo *const halo = op->exchange.halo;
    const int turn = sedge_halo_turn(halo);
    const int count = op->exchange.parcel_count;
    const uint64_t first = sedge_buffer_address(op->exchange.parcels);
    const uint64_t bytes = (uint64_t)count * sizeof(parcel);
    const bool tells = sedge_halo_stores(halo) && sedge_halo_flag(halo, 0, turn) != 0;

    return (operator_parcels){.list = first + (uint64_t)turn * bytes,
                              .ended = tells ? first + 2 * bytes : 0,
                              .count = count};
}

static sedge_status pack(sedge_operator *op, const operator_fields *fields)
{
    const int threads = operator_sent_threads(sedge_device_get_info(op->device));
    const int64_t each =
        (int64_t)threads * (op->layout.lanes == 1 ? 1 : op->problem->equation->fields);
    int64_t words =
        (int64_t)op->mesh->halo_faces * op->element->face_nodes * op->problem->equation->fields;
    const int64_t blocks = (words + each - 1) / each;
    int turns = operator_sent_turns(op, blocks);
    operator_parcels parcels = find_parcels(op);
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t halo = sedge_buffer_address(op->data.halo);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t packed = sedge_buffer_address(op->exchange.packed);
    void *const arguments[] = {
        &u, &halo, &tables, &parcels.list, &packed, &parcels.ended, &words, &parcels.count, &turns};

    return operator_launch(&op->launcher, KERNEL_PACK, op->side, (blocks + turns - 1) / turns,
                           threads, arguments, 9);
}

sedge_status operator_exchange_send(sedge_operator *op, const operator_fields *fields, int started)
{
    if (op->problem->integrator->predictor) {
        operator_parcels parcels = find_parcels(op);
        if (!sedge_halo_stores(op->exchange.halo)) parcels.count = 0;
        SEDGE_TRY(operator_pack_step_traces(op, fields, op->side, started, &parcels));
    } else {
        SEDGE_TRY(pack(op, fields));
    }
    SEDGE_TRY(sedge_event_record(op->exchange.sent, op->side));
    return sedge_halo_stores(op->exchange.halo)
               ? sedge_halo_tell(op->exchange.halo, op->side)
               : sedge_halo_start_part(op->exchange.halo, started, op->side);
}

uint64_t operator_trace_address(const sedge_operator *op)
{
    const bool in_place =
        sedge_halo_stores(op->exchange.halo) && !op->problem->integrator->predictor;

    return in_place ? sedge_halo_inlet(op->exchange.halo) : sedge_buffer_address(op->faces.trace);
}

sedge_status operator_exchange_receive(sedge_operator *op, int started)
{
    const bool takes = sedge_halo_stores(op->exchange.halo) && op->problem->integrator->predictor;

    sedge_range_begin("exchange");
    const sedge_status status = sedge_halo_stores(op->exchange.halo)
                                    ? sedge_halo_await(op->exchange.halo, op->side)
                                    : sedge_halo_finish(op->exchange.halo, op->side);
    sedge_range_end();
    SEDGE_TRY(status);
    if (takes) SEDGE_TRY(operator_take_step_traces(op, op->side, started));
    return sedge_event_record(op->exchange.arrived, op->side);
}

sedge_status operator_exchange_note(sedge_operator *op)
{
    const bool is_host = sedge_device_get_traits(op->device)->in_call;
    double travelled, late;

    if (!is_host && !op->launcher.sampling) return SEDGE_OK;
    SEDGE_TRY(sedge_event_wait(op->exchange.arrived));
    SEDGE_TRY(sedge_event_wait(op->events.interior_done));
    SEDGE_TRY(sedge_event_seconds(&travelled, op->exchange.sent, op->exchange.arrived));
    SEDGE_TRY(sedge_event_seconds(&late, op->events.interior_done, op->exchange.arrived));
    op->exchange.timed++;
    op->exchange.seconds += travelled;
    op->exchange.exposed_seconds += late > 0.0 ? late : 0.0; // that the device had no interior for
    return SEDGE_OK;
}
