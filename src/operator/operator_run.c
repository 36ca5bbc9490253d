#include "operator/operator_internal.h"

#include "base/file.h"
#include "device/range.h"

#include <string.h>

#define HOST_PARTS 8 // of the interior on the host, while traces travel

operator_real operator_scalar(const sedge_operator *op, double value)
{
    operator_real real;

    if (op->layout.real_bytes == 8) {
        real.d = value;
    } else {
        real.f = (float)value;
    }
    return real;
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status make_trace(sedge_operator *op)
{
    const int64_t traces = op->mesh->halo_faces + op->mesh->boundary_faces;
    const int64_t bytes =
        traces * op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;

    return sedge_buffer_create(&op->trace, op->device, bytes + 16);
}

static sedge_status make_order(sedge_operator *op)
{
    SEDGE_TRY(sedge_stream_create(&op->main, op->device, false));
    SEDGE_TRY(sedge_stream_create(&op->side, op->device, true));
    SEDGE_TRY(sedge_event_create(&op->ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->packed_event, op->device));
    SEDGE_TRY(sedge_event_create(&op->arrived, op->device));
    SEDGE_TRY(sedge_event_create(&op->interior_done, op->device));
    SEDGE_TRY(sedge_event_create(&op->halo_ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->halo_done, op->device));
    return operator_launcher_init(&op->launcher, op->device);
}

// What one rank can fail at alone, before layout and configuration are known.
static sedge_status make_local(sedge_operator *op)
{
    SEDGE_TRY(make_order(op));
    SEDGE_TRY(operator_upload(op));
    return make_trace(op);
}

// The programs of the chosen configuration. Tuning may have left the rule's, on ranks that stay
// with it; the kernels in use are those of the tuner's last candidate, whose program is gone.
// Collective.
static sedge_status make_programs(sedge_operator *op, sedge_cache *cache)
{
    int64_t missing = op->program[0] == NULL;

    sedge_comm_max_int(op->comm, &missing, 1);
    if (missing > 0) return operator_programs_create(op, cache);
    return sedge_comm_agree(op->comm, operator_stage_find(op, op->program[0]));
}

// Programs, tables, and what else wants to know the layout. Collective.
static sedge_status make_rest(sedge_operator *op, sedge_cache *cache)
{
    const operator_target target = operator_target_of(op);

    operator_config_name(op->variant, &op->config, &op->layout, &target);
    SEDGE_TRY(make_programs(op, cache));
    SEDGE_TRY(sedge_comm_agree(op->comm, operator_tables_create(&op->tables, op)));
    return operator_halo_create(op);
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
    op->device = device;
    op->element = element;
    op->mesh = mesh;
    op->problem = problem;
    op->layout.real_bytes = problem->precision == SEDGE_FP64 ? 8 : 4;
    if (mesh->global_curved > 0 && !problem->curved) {
        status = SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                            "the mesh has curved elements, which the problem does not say");
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_problem_check_sides(problem, mesh)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_local(op)));
    SEDGE_TRY_GOTO(status, operator_tune(op, cache, options));
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
        op->trace,      op->materials, op->maps,   op->places,     op->boundary_group,
        op->parameters, op->kinds,     op->packed, op->face_basis,
    };

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) sedge_buffer_free(buffers[i]);
    operator_data_free(&op->data);
    operator_tables_free(&op->tables);
    operator_curved_free(op);
}

void sedge_operator_free(sedge_operator *op)
{
    if (op == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    if (op->main != NULL) (void)!sedge_stream_wait(op->main);
    if (op->side != NULL) (void)!sedge_stream_wait(op->side);
    sedge_halo_free(op->halo);
    free_buffers(op);
    operator_launcher_clear(&op->launcher);
    sedge_event_free(op->ready);
    sedge_event_free(op->packed_event);
    sedge_event_free(op->arrived);
    sedge_event_free(op->interior_done);
    sedge_event_free(op->halo_ready);
    sedge_event_free(op->halo_done);
    sedge_stream_free(op->main);
    sedge_stream_free(op->side);
    operator_programs_free(op);
    operator_tuning_free(op->tuning);
    sedge_bernstein_free(op->bernstein);
    sedge_release(op);
}

// ---- one stage ---------------------------------------------------------------------------------

// Straight elements through the stage, from u[0] to u[1].
static sedge_status run_batches(sedge_operator *op, const operator_fields *fields,
                                sedge_stream *stream, sedge_span span, const sedge_stage *stage)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t trace = sedge_buffer_address(op->trace);
    uint64_t links = sedge_buffer_address(op->data.links);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t deriv = sedge_buffer_address(op->tables.deriv);
    uint64_t lift = sedge_buffer_address(op->tables.lift);
    uint64_t tables = sedge_buffer_address(op->maps);
    int64_t slots = op->layout.slots;
    operator_real a = operator_scalar(op, stage->a);
    operator_real b = operator_scalar(op, stage->b);
    operator_real step = operator_scalar(op, stage->dt);
    void *const arguments[] = {&u,          &next,      &residual, &trace, &links,  &geometry,
                               &material,   &materials, &deriv,    &lift,  &tables, &span.first,
                               &span.count, &slots,     &a,        &b,     &step};
    const int64_t blocks = (span.count + op->config.block - 1) / op->config.block;

    return operator_launch(&op->launcher, KERNEL_STAGE, stream, blocks, op->config.threads,
                           arguments, (int)(sizeof arguments / sizeof arguments[0]));
}

sedge_status operator_run_straight(sedge_operator *op, const operator_fields *fields,
                                   sedge_stream *stream, const sedge_stage *stage)
{
    for (int halo = 0; halo < 2; halo++) {
        const sedge_span span = op->data.slots.span[halo == 1][false];
        SEDGE_TRY(run_batches(op, fields, stream, span, stage));
    }
    return SEDGE_OK;
}

static sedge_status make_boundary_traces(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, const sedge_stage *stage)
{
    const int64_t face_bytes =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;
    int64_t points = (int64_t)op->mesh->boundary_faces * op->element->face_nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t trace =
        sedge_buffer_address(op->trace) + (uint64_t)(op->mesh->halo_faces * face_bytes);
    uint64_t boundary = sedge_buffer_address(op->data.boundary);
    uint64_t group = sedge_buffer_address(op->boundary_group);
    uint64_t places = sedge_buffer_address(op->places);
    uint64_t parameters = sedge_buffer_address(op->parameters);
    uint64_t kinds = sedge_buffer_address(op->kinds);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->maps);
    uint64_t face_basis = sedge_buffer_address(op->face_basis);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    void *const arguments[] = {&u,          &trace,      &boundary, &group,    &places,
                               &parameters, &kinds,      &geometry, &material, &materials,
                               &tables,     &face_basis, &clock,    &delay,    &points};
    const int64_t each = operator_boundary_points(op);

    SEDGE_TRY(operator_launch(&op->launcher, KERNEL_BOUNDARY, stream, (points + each - 1) / each,
                              SEDGE_TRACE_THREADS, arguments,
                              (int)(sizeof arguments / sizeof arguments[0])));
    return operator_two_sided_run(op, fields, stream, false, delay);
}

// The halo elements: they have neighbours on other ranks.
static sedge_status run_halo_elements(sedge_operator *op, const operator_fields *fields,
                                      sedge_stream *stream, const sedge_stage *stage)
{
    SEDGE_TRY(operator_two_sided_run(op, fields, stream, true, stage->delay));
    SEDGE_TRY(run_batches(op, fields, stream, op->data.slots.span[true][false], stage));
    return operator_run_curved(op, fields, stream, true, stage);
}

// They need not wait for the end of the interior: they run beside it, as soon as the traces are
// there.
static sedge_status run_halo_elements_beside(sedge_operator *op, const operator_fields *fields,
                                             const sedge_stage *stage)
{
    SEDGE_TRY(sedge_stream_wait_event(op->side, op->halo_ready));
    return run_halo_elements(op, fields, op->side, stage);
}

// The SIMD batches of the straight interior elements with boundary faces where these lie in ranges
// of their own: the last ones of the straight interior's. They run beside the others, which need
// not wait for the boundary's traces.
static sedge_span find_boundary(const sedge_operator *op)
{
    const sedge_span all = op->data.slots.span[false][false];
    int64_t first = all.first + all.count;

    for (int r = op->mesh->range_count - 1; r >= 0; r--)
        if (op->mesh->ranges[r].boundary)
            first = sedge_slots_first(&op->data.slots, &op->mesh->ranges[r]);
    return (sedge_span){.first = first, .count = all.first + all.count - first};
}

static bool has_boundary_apart(const sedge_operator *op)
{
    return find_boundary(op).count > 0;
}

static sedge_status run_boundary_beside(sedge_operator *op, const operator_fields *fields,
                                        const sedge_stage *stage)
{
    SEDGE_TRY(make_boundary_traces(op, fields, op->side, stage));
    SEDGE_TRY(sedge_stream_wait_event(op->side, op->halo_ready));
    return run_batches(op, fields, op->side, find_boundary(op), stage);
}

// All interior SIMD batches but those of the boundary, in parts: between them MPI, which has no
// thread of its own, can move messages.
static sedge_status run_interior(sedge_operator *op, const operator_fields *fields, int parts,
                                 const sedge_stage *stage)
{
    const int64_t batches = op->data.slots.span[false][false].count - find_boundary(op).count;

    for (int part = 0; part < parts; part++) {
        const int64_t first = batches * part / parts;
        const sedge_span span = {.first = first, .count = batches * (part + 1) / parts - first};
        SEDGE_TRY(run_batches(op, fields, op->main, span, stage));
        if (parts > 1) sedge_halo_progress(op->halo);
    }
    return operator_run_curved(op, fields, op->main, false, stage);
}

// What does not wait for other ranks' traces. The boundary's part of it goes into the side stream
// where it can.
static sedge_status run_own(sedge_operator *op, const operator_fields *fields, int parts,
                            const sedge_stage *stage)
{
    const bool beside = has_boundary_apart(op);

    if (!beside) SEDGE_TRY(make_boundary_traces(op, fields, op->main, stage));
    if (beside || sedge_halo_has_peers(op->halo))
        SEDGE_TRY(sedge_event_record(op->halo_ready, op->main));
    if (beside) SEDGE_TRY(run_boundary_beside(op, fields, stage));
    return run_interior(op, fields, parts, stage);
}

// The device goes on with its own elements while traces move. On the host device the work happens
// inside the calls of this thread, so messages leave before it.
static sedge_status run_and_exchange(sedge_operator *op, const operator_fields *fields,
                                     const sedge_stage *stage)
{
    const bool is_host = sedge_device_get_traits(op->device)->in_call;

    SEDGE_TRY(operator_halo_send(op, fields));
    SEDGE_TRY(run_own(op, fields, is_host ? HOST_PARTS : 1, stage));
    SEDGE_TRY(sedge_event_record(op->interior_done, op->main));
    SEDGE_TRY(operator_halo_receive(op));
    SEDGE_TRY(run_halo_elements_beside(op, fields, stage));
    return operator_halo_note(op);
}

sedge_status operator_run_stage(sedge_operator *op, const operator_fields *fields,
                                const sedge_stage *stage)
{
    const bool exchanges = sedge_halo_has_peers(op->halo);
    const bool forks = exchanges || has_boundary_apart(op);

    if (forks) {
        SEDGE_TRY(sedge_event_record(op->ready, op->main));
        SEDGE_TRY(sedge_stream_wait_event(op->side, op->ready));
    }
    SEDGE_TRY(exchanges ? run_and_exchange(op, fields, stage) : run_own(op, fields, 1, stage));
    if (forks) {
        SEDGE_TRY(sedge_event_record(op->halo_done, op->side));
        SEDGE_TRY(sedge_stream_wait_event(op->main, op->halo_done));
    }
    op->stages++;
    return SEDGE_OK;
}

sedge_status operator_wait(sedge_operator *op)
{
    SEDGE_TRY(sedge_stream_wait(op->main));
    SEDGE_TRY(sedge_stream_wait(op->side));
    return operator_read_samples(&op->launcher);
}
