// Traces of other ranks: packed, on their way beside the interior's work, timed.
#include "operator/exchange.h"

#include "base/memory.h"
#include "device/range.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"

static sedge_status make_offsets(int64_t **out, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int64_t face_bytes =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;

    SEDGE_TRY(sedge_allocate(out, mesh->peers + 1LL, sizeof **out));
    for (int i = 1; i <= mesh->peers; i++) (*out)[i] = mesh->peer_offsets[i] * face_bytes;
    return SEDGE_OK;
}

sedge_status operator_exchange_create(sedge_operator *op)
{
    sedge_status status;
    int64_t *offsets = NULL;

    status = make_offsets(&offsets, op);
    if (status == SEDGE_OK && op->mesh->halo_faces > 0)
        status = sedge_buffer_create(&op->exchange.packed, op->device, offsets[op->mesh->peers]);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    const sedge_halo_plan plan = {.peers = op->mesh->peers,
                                  .ranks = op->mesh->peer_ranks,
                                  .send_offsets = offsets,
                                  .receive_offsets = offsets,
                                  .packed = op->exchange.packed,
                                  .target = op->faces.trace};
    status = sedge_halo_create(&op->exchange.halo, op->comm, op->device, &plan);
done:
    sedge_release(offsets);
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

sedge_status operator_exchange_send(sedge_operator *op, const operator_fields *fields)
{
    int64_t points = (int64_t)op->mesh->halo_faces * op->element->face_nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t halo = sedge_buffer_address(op->data.halo);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t packed = sedge_buffer_address(op->exchange.packed);
    void *const arguments[] = {&u, &halo, &tables, &packed, &points};

    SEDGE_TRY(operator_launch(&op->launcher, KERNEL_PACK, op->side,
                              (points + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                              SEDGE_TRACE_THREADS, arguments, 5));
    SEDGE_TRY(sedge_event_record(op->exchange.sent, op->side));
    return sedge_halo_start(op->exchange.halo, op->side);
}

sedge_status operator_exchange_receive(sedge_operator *op)
{
    sedge_range_begin("exchange");
    const sedge_status status = sedge_halo_finish(op->exchange.halo, op->side);
    sedge_range_end();
    SEDGE_TRY(status);
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
