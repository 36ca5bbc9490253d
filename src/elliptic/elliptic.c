#include "elliptic.h"
#include "elliptic_state.h"

#include "base/memory.h"

#define COLLECT_THREADS 128 // as in codegen/kernels/elliptic/dg_elliptic.h
#define HOST_PARTS      4   // of the interior on the host, while traces travel

// ---- creation ----------------------------------------------------------------------------------

static sedge_status make_halo_buffers(sedge_elliptic *op, int64_t **offsets)
{
    const sedge_mesh *const mesh = op->mesh;
    const int64_t face_bytes = (int64_t)op->element->face_nodes * 2 * op->config.real_bytes;
    const int64_t bytes = mesh->halo_faces * face_bytes;

    SEDGE_TRY(sedge_allocate(offsets, mesh->peers + 1LL, sizeof **offsets));
    for (int i = 1; i <= mesh->peers; i++) (*offsets)[i] = mesh->peer_offsets[i] * face_bytes;
    SEDGE_TRY(sedge_buffer_create(&op->behind, op->device, bytes > 0 ? bytes : 16));
    if (mesh->halo_faces == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_stream_create(&op->side, op->device, true));
    SEDGE_TRY(sedge_event_create(&op->ready, op->device));
    SEDGE_TRY(sedge_event_create(&op->arrived, op->device));
    return sedge_buffer_create(&op->packed, op->device, bytes);
}

// Collective.
static sedge_status make_halo(sedge_elliptic *op)
{
    int64_t *offsets = NULL;
    sedge_status status = sedge_comm_agree(op->comm, make_halo_buffers(op, &offsets));

    if (status == SEDGE_OK) {
        const sedge_halo_plan plan = {.peers = op->mesh->peers,
                                      .ranks = op->mesh->peer_ranks,
                                      .send_offsets = offsets,
                                      .receive_offsets = offsets,
                                      .packed = op->packed,
                                      .target = op->behind};
        status = sedge_halo_create(&op->halo, op->comm, op->device, &plan);
    }
    sedge_release(offsets);
    return status;
}

static sedge_status make_buffers(sedge_elliptic *op, const sedge_elliptic_face *faces)
{
    SEDGE_TRY(elliptic_upload(op, faces));
    const int64_t points = op->slots.count * SEDGE_FACES * op->element->face_nodes;
    return sedge_buffer_create(&op->flux, op->device, points * op->config.real_bytes + 16);
}

// What depends on the kernel configuration.
typedef struct config_parts {
    elliptic_config config;
    sedge_program *program;
    const sedge_kernel *kernel[ELLIPTIC_KERNELS];
    elliptic_tables table;
} config_parts;

static sedge_status find_kernels(config_parts *parts, const sedge_elliptic *op)
{
    const char *const names[ELLIPTIC_KERNELS] = {
        [ELLIPTIC_FLUX] = "sedge_elliptic_flux",
        [ELLIPTIC_COLLECT] = "sedge_elliptic_collect",
        [ELLIPTIC_APPLY] = "sedge_elliptic_apply",
        [ELLIPTIC_BLOCKS] = "sedge_elliptic_blocks",
        [ELLIPTIC_SMOOTH] = "sedge_elliptic_smooth",
        [ELLIPTIC_RESTRICT] =
            op->element->order > 1 ? "sedge_elliptic_restrict" : "sedge_elliptic_gather",
        [ELLIPTIC_PROLONG] =
            op->element->order > 1 ? "sedge_elliptic_prolong" : "sedge_elliptic_scatter",
        [ELLIPTIC_CURVED_FLUX] = "sedge_elliptic_curved_flux",
        [ELLIPTIC_CURVED_APPLY] = "sedge_elliptic_curved_apply",
    };

    const int count = parts->config.curved ? ELLIPTIC_KERNELS : ELLIPTIC_CURVED_FLUX;
    for (int k = 0; k < count; k++)
        SEDGE_TRY(sedge_program_get(&parts->kernel[k], parts->program, names[k]));
    for (int k = ELLIPTIC_CURVED_FLUX; k < count; k++)
        SEDGE_TRY(sedge_kernel_set_scratch(parts->kernel[k], parts->config.curved_scratch));
    SEDGE_TRY(sedge_kernel_set_scratch(parts->kernel[ELLIPTIC_FLUX], parts->config.flux_scratch));
    SEDGE_TRY(sedge_kernel_set_scratch(parts->kernel[ELLIPTIC_APPLY], parts->config.apply_scratch));
    return elliptic_upload_tables(&parts->table, op, &parts->config);
}

static sedge_status make_program(config_parts *parts, const sedge_elliptic *op)
{
    sedge_status status;
    sedge_text *text = NULL;
    char name[64];
    sedge_program_text whole;

    status = sedge_text_create(&text);
    if (status == SEDGE_OK) {
        status = elliptic_text(text, name, sedge_device_get_info(op->device), op->element,
                               &parts->config);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    whole = (sedge_program_text){.name = name, .text = sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(&parts->program, NULL, op->comm, op->device,
                                                 sedge_context_cache(op->context), &whole, 1));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, find_kernels(parts, op)));
done:
    sedge_text_free(text);
    return status;
}

sedge_status sedge_elliptic_configure(sedge_elliptic *op, const sedge_elliptic_options *options)
{
    config_parts parts = {.program = NULL};
    sedge_status status =
        elliptic_config_choose(&parts.config, sedge_device_get_info(op->device), op->element,
                               op->problem->precision, op->mesh->global_curved > 0, options);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    SEDGE_TRY_GOTO(status, make_program(&parts, op));
    // What runs still uses the old ones.
    SEDGE_TRY_GOTO(
        status, sedge_comm_agree(op->comm, sedge_stream_wait(sedge_context_stream(op->context))));
    const config_parts old = {.program = op->program, .table = op->table};
    op->config = parts.config;
    op->program = parts.program;
    op->table = parts.table;
    for (int k = 0; k < ELLIPTIC_KERNELS; k++) op->kernel[k] = parts.kernel[k];
    parts = old;
done:
    elliptic_free_tables(&parts.table);
    sedge_program_free(parts.program);
    return status;
}

sedge_status sedge_elliptic_create(sedge_elliptic **out, const sedge_comm *comm,
                                   sedge_context *context, const sedge_element *element,
                                   const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_elliptic_options *options)
{
    sedge_status status;
    sedge_elliptic *op = NULL;
    sedge_elliptic_face *faces = NULL;

    *out = NULL;
    if (element->order > SEDGE_ELLIPTIC_ORDER_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "order %d: the equation '%s' is solved at orders 1 to %d", element->order,
                          problem->equation->name, SEDGE_ELLIPTIC_ORDER_MAX);
    }
    status = sedge_allocate(&op, 1, sizeof *op);
    if (status == SEDGE_OK) op->context = context; // sedge_elliptic_free uses it
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *op = (sedge_elliptic){.comm = comm,
                           .context = context,
                           .element = element,
                           .mesh = mesh,
                           .problem = problem,
                           .device = sedge_context_device(context)};
    SEDGE_TRY_GOTO(status, sedge_elliptic_configure(op, options));
    SEDGE_TRY_GOTO(status, sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_buffers(op, faces)));
    SEDGE_TRY_GOTO(status, make_halo(op));
    *out = op;
    op = NULL;
done:
    sedge_release(faces);
    sedge_elliptic_free(op);
    return status;
}

void sedge_elliptic_free(sedge_elliptic *op)
{
    if (op == NULL) return;
    sedge_buffer *const buffers[] = {op->flux,   op->links,     op->geometry,
                                     op->maps,   op->halo_list, op->packed,
                                     op->behind, op->curves,    op->curved_operators};

    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(sedge_context_stream(op->context));
    if (op->side != NULL) (void)!sedge_stream_wait(op->side);
    sedge_halo_free(op->halo);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) sedge_buffer_free(buffers[i]);
    sedge_event_free(op->ready);
    sedge_event_free(op->arrived);
    sedge_stream_free(op->side);
    elliptic_free_tables(&op->table);
    sedge_program_free(op->program);
    sedge_release(op);
}

// ---- properties --------------------------------------------------------------------------------

int64_t sedge_elliptic_rows(const sedge_elliptic *op)
{
    return op->slots.count * op->element->nodes;
}

int sedge_elliptic_real_bytes(const sedge_elliptic *op)
{
    return sedge_real_bytes(op->problem->precision);
}

sedge_status sedge_elliptic_vector(sedge_buffer **out, const sedge_elliptic *op)
{
    return sedge_buffer_create(out, op->device,
                               sedge_elliptic_rows(op) * op->config.real_bytes + 16);
}

void sedge_elliptic_get_cost(const sedge_elliptic *op, sedge_elliptic_cost *out)
{
    const double nodes = op->element->nodes;
    const double points = SEDGE_FACES * op->element->face_nodes;
    const double elements = op->mesh->elements;
    const double real = op->config.real_bytes;

    *out = (sedge_elliptic_cost){
        .bytes = elements * ((3.0 * nodes + 2.0 * points + 7.0 + 15.0) * real + 32.0),
        .flops = elements * 2.0 * (nodes * (9.0 * nodes + 2.0 * points + 30.0) + 4.0 * points),
        .matrix = op->config.matrix,
        .item_nodes = op->config.tile,
        .weak_nodes = op->config.weak_tile,
        .item_elements = op->config.item_batches,
        .block_elements = op->config.block_batches,
        .threads = op->config.threads,
        .resident = op->config.resident,
        .shared_bytes = op->config.apply_scratch,
        .transport = sedge_halo_transport(op->halo),
    };
}

sedge_argument elliptic_real(const sedge_elliptic *op, double value)
{
    return op->config.real_bytes == 8 ? sedge_double_argument(value)
                                      : sedge_float_argument((float)value);
}

// ---- an application ----------------------------------------------------------------------------

static int64_t blocks_of(const sedge_elliptic *op, int64_t batches)
{
    return (batches + op->config.block_batches - 1) / op->config.block_batches;
}

// The fluxes of the elements with or without halo faces.
static sedge_status run_flux(sedge_elliptic *op, const elliptic_application *a, bool halo)
{
    const sedge_span *const straight = &op->slots.span[halo][false];

    SEDGE_TRY(SEDGE_LAUNCH(op->kernel[ELLIPTIC_FLUX], a->stream, blocks_of(op, straight->count),
                           sedge_buffer_argument(a->x), sedge_buffer_argument(op->flux),
                           sedge_buffer_argument(op->geometry),
                           sedge_buffer_argument(op->table.deriv), sedge_buffer_argument(op->maps),
                           sedge_int64_argument(straight->first),
                           sedge_int64_argument(straight->count)));
    return elliptic_curved_flux(op, a, &op->slots.span[halo][true]);
}

// The operator on straight elements, SIMD batches [first, first + count).
static sedge_status run_apply(sedge_elliptic *op, const elliptic_application *a, int64_t first,
                              int64_t count)
{
    return SEDGE_LAUNCH(
        op->kernel[ELLIPTIC_APPLY], a->stream, blocks_of(op, count), sedge_buffer_argument(a->x),
        sedge_buffer_argument(op->flux), sedge_buffer_argument(op->behind),
        sedge_buffer_argument(a->b), sedge_buffer_argument(a->out),
        sedge_buffer_argument(op->links), sedge_buffer_argument(op->geometry),
        sedge_buffer_argument(op->table.deriv), sedge_buffer_argument(op->table.lift),
        sedge_buffer_argument(op->table.weak), sedge_buffer_argument(op->table.mass),
        sedge_buffer_argument(op->maps), sedge_int64_argument(first), sedge_int64_argument(count),
        sedge_int64_argument(op->mesh->halo_faces), elliptic_real(op, a->base),
        elliptic_real(op, a->factor));
}

// Collect the traces of halo faces and send them, in the side stream.
static sedge_status send_traces(sedge_elliptic *op, const elliptic_application *a)
{
    const int64_t points = (int64_t)op->mesh->halo_faces * op->element->face_nodes;

    SEDGE_TRY(sedge_event_record(op->ready, a->stream));
    SEDGE_TRY(sedge_stream_wait_event(op->side, op->ready));
    SEDGE_TRY(SEDGE_LAUNCH(op->kernel[ELLIPTIC_COLLECT], op->side,
                           (points + COLLECT_THREADS - 1) / COLLECT_THREADS,
                           sedge_buffer_argument(a->x), sedge_buffer_argument(op->flux),
                           sedge_buffer_argument(op->halo_list), sedge_buffer_argument(op->maps),
                           sedge_buffer_argument(op->packed), sedge_int64_argument(points)));
    return sedge_halo_start(op->halo, op->side);
}

// The fluxes of all elements without halo faces, then the operator there. On the host it runs in
// several parts: MPI has no thread of its own and moves messages between them.
static sedge_status run_interior(sedge_elliptic *op, const elliptic_application *a, int parts)
{
    const int64_t batches = op->slots.span[false][false].count;

    SEDGE_TRY(run_flux(op, a, false));
    for (int part = 0; part < parts; part++) {
        const int64_t first = batches * part / parts;
        SEDGE_TRY(run_apply(op, a, first, batches * (part + 1) / parts - first));
        if (parts > 1) sedge_halo_progress(op->halo);
    }
    return elliptic_curved_apply(op, a, &op->slots.span[false][true]);
}

// Elements with halo faces are differentiated first. Their traces travel while the operator runs on
// the other elements.
static sedge_status run_with_halo(sedge_elliptic *op, const elliptic_application *a)
{
    const sedge_span *const straight = &op->slots.span[true][false];
    const bool host = sedge_device_get_traits(op->device)->in_call;

    SEDGE_TRY(run_flux(op, a, true));
    SEDGE_TRY(send_traces(op, a));
    SEDGE_TRY(run_interior(op, a, host ? HOST_PARTS : 1));
    SEDGE_TRY(sedge_halo_finish(op->halo, op->side));
    SEDGE_TRY(sedge_event_record(op->arrived, op->side));
    SEDGE_TRY(sedge_stream_wait_event(a->stream, op->arrived));
    SEDGE_TRY(run_apply(op, a, straight->first, straight->count));
    return elliptic_curved_apply(op, a, &op->slots.span[true][true]);
}

static sedge_status run(sedge_elliptic *op, const elliptic_application *a)
{
    if (sedge_halo_has_peers(op->halo)) return run_with_halo(op, a);
    return run_interior(op, a, 1);
}

sedge_status sedge_elliptic_apply(sedge_elliptic *op, sedge_stream *stream, const sedge_buffer *x,
                                  sedge_buffer *y)
{
    return run(op, &(elliptic_application){stream, x, x, y, 0.0, 1.0});
}

sedge_status sedge_elliptic_residual(sedge_elliptic *op, sedge_stream *stream,
                                     const sedge_buffer *b, const sedge_buffer *x, sedge_buffer *r)
{
    return run(op, &(elliptic_application){stream, x, b, r, 1.0, -1.0});
}

static sedge_status apply_operator(void *context, sedge_stream *stream, const sedge_buffer *x,
                                   sedge_buffer *y)
{
    return sedge_elliptic_apply(context, stream, x, y);
}

sedge_krylov_operator sedge_elliptic_as_operator(sedge_elliptic *op)
{
    sedge_elliptic_cost cost;

    sedge_elliptic_get_cost(op, &cost);
    return (sedge_krylov_operator){.context = op,
                                   .apply = apply_operator,
                                   .waits = sedge_halo_has_peers(op->halo),
                                   .bytes = cost.bytes};
}
