#include "base/memory.h"
#include "device/cpu.h"
#include "dg/predictor.h"
#include "forms/form.h"
#include "forms/target.h"
#include "operator/curved.h"
#include "operator/exchange.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/program.h"
#include "operator/seams.h"
#include "operator/tune.h"
#include "operator/upload.h"

#include <string.h>

static sedge_status make_trace(sedge_operator *op)
{
    const int64_t bytes = operator_traces(op) * op->element->face_nodes *
                          op->problem->equation->fields * op->layout.real_bytes;

    return sedge_buffer_create(&op->faces.trace, op->device, bytes + 16);
}

static sedge_status make_order(sedge_operator *op)
{
    SEDGE_TRY(sedge_stream_create(&op->main, op->device, false));
    SEDGE_TRY(sedge_stream_create(&op->side, op->device, true));
    SEDGE_TRY(sedge_event_create(&op->events.ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->exchange.sent, op->device));
    SEDGE_TRY(sedge_event_create(&op->exchange.arrived, op->device));
    SEDGE_TRY(sedge_event_create(&op->events.interior_done, op->device));
    SEDGE_TRY(sedge_event_create(&op->events.traces_ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->events.seams_ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->events.side_done, op->device));
    if (op->mesh->levels > 1) {
        SEDGE_TRY(sedge_fan_create(&op->events.main, op->device, false));
        SEDGE_TRY(sedge_fan_create(&op->events.side, op->device, true));
    }
    return operator_launcher_init(&op->launcher, op->device);
}

// What one rank can fail at alone, before layout and configuration are known.
static sedge_status make_local(sedge_operator *op)
{
    SEDGE_TRY(make_order(op));
    SEDGE_TRY(operator_predictor_create(op));
    SEDGE_TRY(operator_upload(op));
    return make_trace(op);
}

// Programs, tables, and what else depends on the layout. Collective.
static sedge_status make_rest(sedge_operator *op, sedge_cache *cache)
{
    const operator_target target = operator_target_of(op);

    operator_config_name(op->variant, &op->config, &op->layout, &target);
    SEDGE_TRY(operator_programs_need(op, cache));
    SEDGE_TRY(sedge_comm_agree(op->comm, operator_tables_create(&op->tables, op)));
    SEDGE_TRY(sedge_comm_agree(
        op->comm, operator_terms_create(&op->terms, op->device, op->problem, &op->data.slots)));
    SEDGE_TRY(sedge_comm_agree(op->comm, operator_predictor_place(op)));
    return operator_exchange_create(op);
}

sedge_status sedge_operator_create(sedge_operator **out, const sedge_comm *comm,
                                   sedge_device *device, sedge_cache *cache,
                                   const sedge_element *element, const sedge_mesh *mesh,
                                   const sedge_problem *problem,
                                   const sedge_operator_options *options)
{
    sedge_status status;
    sedge_operator *op = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&op, 1, sizeof *op)));
    op->comm = comm;
    op->threads = sedge_cpu_share(sedge_comm_node_size(comm));
    op->device = device;
    op->element = element;
    op->mesh = mesh;
    op->problem = problem;
    op->layout.real_bytes = sedge_real_bytes(problem->precision);
    if (mesh->global_curved > 0 && !problem->curved) {
        status = SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                            "the mesh has curved elements, which the problem does not say");
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_predictor_check(problem)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_problem_check_sides(problem, mesh)));
    sedge_stopwatch_begin(options->watch, "operator: tables");
    SEDGE_TRY_GOTO(status, operator_seams_create(op));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_local(op)));
    sedge_stopwatch_begin(options->watch, "operator: choose kernels");
    SEDGE_TRY_GOTO(status, operator_tune(op, cache, options));
    sedge_stopwatch_begin(options->watch, "operator: load kernels");
    SEDGE_TRY_GOTO(status, make_rest(op, cache));
    *out = op;
    op = NULL;
done:
    sedge_operator_free(op);
    return status;
}

static void free_buffers(sedge_operator *op)
{
    sedge_buffer *const buffers[] = {
        op->faces.trace,      op->materials,        op->faces.maps,           op->faces.places,
        op->faces.group,      op->faces.parameters, op->faces.kinds,          op->exchange.packed,
        op->faces.basis,      op->faces.memory,     op->faces.memory_normals, op->exchange.parcels,
        op->faces.frame_rows, op->faces.frames,
    };

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) sedge_buffer_free(buffers[i]);
    operator_data_free(&op->data);
    operator_tables_free(&op->tables);
    operator_curved_free(op);
    operator_seams_free(op);
    operator_terms_clear(&op->terms);
    operator_predictor_clear(&op->predictor);
}

void sedge_operator_free(sedge_operator *op)
{
    if (op == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    if (op->main != NULL) (void)!sedge_stream_wait(op->main);
    if (op->side != NULL) (void)!sedge_stream_wait(op->side);
    sedge_fan_clear(&op->events.main);
    sedge_fan_clear(&op->events.side);
    sedge_halo_free(op->exchange.halo);
    free_buffers(op);
    operator_launcher_clear(&op->launcher);
    sedge_event_free(op->events.ready);
    sedge_event_free(op->exchange.sent);
    sedge_event_free(op->exchange.arrived);
    sedge_event_free(op->events.interior_done);
    sedge_event_free(op->events.traces_ready);
    sedge_event_free(op->events.seams_ready);
    sedge_event_free(op->events.side_done);
    sedge_stream_free(op->main);
    sedge_stream_free(op->side);
    operator_programs_free(op);
    operator_tuning_free(op->tuning);
    sedge_bernstein_free(op->bernstein);
    sedge_release(op);
}
