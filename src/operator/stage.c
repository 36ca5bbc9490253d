#include "operator/stage.h"

#include "dg/problem.h"
#include "layout/slots.h"
#include "operator/curved.h"
#include "operator/exchange.h"
#include "operator/face_memory.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/scalar.h"
#include "operator/seams.h"
#include "operator/step_traces.h"
#include "operator/two_sided.h"

#include <math.h>

#define HOST_PARTS 8 // of the interior on the host, while traces travel

// Straight elements through the stage, from u[0] to u[1], by `kernel`: KERNEL_STAGE or, with the
// terms, KERNEL_STAGE_TERMS.
static sedge_status run_kernel(sedge_operator *op, operator_kernel kernel,
                               const operator_fields *fields, sedge_stream *stream, sedge_span span,
                               const sedge_stage *stage)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t trace = operator_trace_address(op);
    uint64_t links = sedge_buffer_address(op->data.links);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t deriv = sedge_buffer_address(op->tables.deriv);
    uint64_t lift = sedge_buffer_address(op->tables.lift);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    int64_t slots = op->data.slots.count;
    operator_real a = operator_scalar(op, stage->a);
    operator_real b = operator_scalar(op, stage->b);
    operator_real step = operator_scalar(op, stage->dt);
    operator_real found = operator_scalar(op, stage->found);
    int keep = !stage->drops;
    int back = stage->back;
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    operator_terms_arguments terms;
    void *arguments[22 + SEDGE_TERMS_ARGUMENTS] = {
        &u,     &next, &residual, &trace,      &links,      &geometry, &material, &materials,
        &deriv, &lift, &tables,   &span.first, &span.count, &slots,    &a,        &b,
        &found, &step, &keep,     &back,       &clock,      &delay};
    const int64_t blocks = (span.count + op->config.block - 1) / op->config.block;
    int count = 20;

    if (kernel == KERNEL_STAGE_TERMS) {
        operator_terms_list(&terms, &op->terms, fields->memory, stage->turned);
        count = 22;
        for (int i = 0; i < terms.count; i++) arguments[count++] = &terms.value[i];
    }
    return operator_launch(&op->launcher, kernel, stream, blocks, op->config.threads, arguments,
                           count);
}

// The same, of each element with its terms, where the stage has some.
static sedge_status run_batches(sedge_operator *op, const operator_fields *fields,
                                sedge_stream *stream, sedge_span span, const sedge_stage *stage)
{
    if (!operator_terms_in_stage(op->problem))
        return run_kernel(op, KERNEL_STAGE, fields, stream, span, stage);
    for (int i = 0; i < op->terms.runs; i++) {
        const operator_terms_run *const run = &op->terms.run[i];
        const int64_t from = run->first > span.first ? run->first : span.first;
        const int64_t run_end = run->first + run->count;
        const int64_t end = run_end < span.first + span.count ? run_end : span.first + span.count;
        const operator_kernel kernel = run->has_terms ? KERNEL_STAGE_TERMS : KERNEL_STAGE;
        if (from >= end) continue;
        SEDGE_TRY(run_kernel(op, kernel, fields, stream,
                             (sedge_span){.first = from, .count = end - from}, stage));
    }
    return SEDGE_OK;
}

sedge_status operator_run_straight(sedge_operator *op, const operator_fields *fields,
                                   sedge_stream *stream, const sedge_stage *stage)
{
    for (int halo = 0; halo < 2; halo++) {
        const sedge_span span = op->data.slots.span[halo == 1][false];
        SEDGE_TRY(run_kernel(op, KERNEL_STAGE, fields, stream, span, stage));
    }
    return SEDGE_OK;
}

// Outer traces of the boundary faces [first, first + count).
static sedge_status make_traces(sedge_operator *op, const operator_fields *fields,
                                sedge_stream *stream, const sedge_stage *stage, int64_t first,
                                int64_t count)
{
    const int64_t width = op->element->face_nodes;
    const int64_t point_bytes = (int64_t)op->problem->equation->fields * op->layout.real_bytes;
    const uint64_t slot = (uint64_t)(op->mesh->halo_faces + first);
    int64_t points = count * width;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t trace = operator_trace_address(op) + slot * (uint64_t)(width * point_bytes);
    uint64_t boundary =
        sedge_buffer_address(op->data.boundary) + (uint64_t)first * 2 * sizeof(int32_t);
    uint64_t group = sedge_buffer_address(op->faces.group) + (uint64_t)first * sizeof(int32_t);
    uint64_t places =
        sedge_buffer_address(op->faces.places) + (uint64_t)(first * width * 3) * sizeof(double);
    uint64_t parameters = sedge_buffer_address(op->faces.parameters);
    uint64_t kinds = sedge_buffer_address(op->faces.kinds);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t face_basis = sedge_buffer_address(op->faces.basis);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    double duration = stage->dt;
    operator_frame_arguments frame;
    operator_memory_arguments memory;
    void *arguments[18 + OPERATOR_MEMORY_ARGUMENTS] = {
        &u,        &trace,     &boundary, &group,      &places, &parameters, &kinds,    &geometry,
        &material, &materials, &tables,   &face_basis, &clock,  &delay,      &duration, &points};
    int all = 16;
    const int64_t each = operator_boundary_points(op);

    all += operator_frames_list(&arguments[all], &frame, op, first);
    all += operator_memory_list(&arguments[all], &memory, op, fields, stage, first);
    return operator_launch(&op->launcher, KERNEL_BOUNDARY, stream, (points + each - 1) / each,
                           SEDGE_TRACE_THREADS, arguments, all);
}

static sedge_status make_boundary_traces(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, const sedge_stage *stage)
{
    if (op->mesh->levels == 1) {
        SEDGE_TRY(make_traces(op, fields, stream, stage, 0, op->mesh->boundary_faces));
        return operator_two_sided_run(op, fields, stream, false, stage);
    }
    for (int i = 0; i < 4; i++) { // faces of elements with halo or without, straight or curved
        SEDGE_TRY(make_traces(op, fields, stream, stage,
                              op->predictor.boundary[i / 2][i % 2][stage->level].first,
                              op->predictor.boundary[i / 2][i % 2][stage->level].count));
    }
    return operator_two_sided_run(op, fields, stream, false, stage);
}

// The halo elements: they have neighbours on other ranks.
static sedge_status run_halo_elements(sedge_operator *op, const operator_fields *fields,
                                      sedge_stream *stream, const sedge_stage *stage)
{
    SEDGE_TRY(operator_two_sided_run(op, fields, stream, true, stage));
    SEDGE_TRY(operator_seams_run(op, fields, stream, true, stage->level, stage->level));
    SEDGE_TRY(
        run_batches(op, fields, stream, op->data.slots.level[true][false][stage->level], stage));
    return operator_run_curved(op, fields, stream, true, stage);
}

// The SIMD batches of the straight interior elements with boundary faces where these lie in ranges
// of their own: the last ones of the straight interior's. They run beside the others, which need
// not wait for the boundary's traces. With local time steps there are none.
static sedge_span find_boundary(const sedge_operator *op)
{
    const sedge_span all = op->data.slots.span[false][false];
    int64_t first = all.first + all.count;

    for (int r = op->mesh->range_count - 1; r >= 0 && op->mesh->levels == 1; r--) {
        if (op->mesh->ranges[r].boundary)
            first = sedge_slots_first(&op->data.slots, &op->mesh->ranges[r]);
    }
    return (sedge_span){.first = first, .count = all.first + all.count - first};
}

static bool has_boundary_apart(const sedge_operator *op)
{
    return find_boundary(op).count > 0;
}

// All interior SIMD batches but those of the boundary, in parts: between them MPI, which has no
// thread of its own, can move messages.
static sedge_status run_interior(sedge_operator *op, const operator_fields *fields,
                                 sedge_stream *stream, int parts, const sedge_stage *stage)
{
    const sedge_span all = op->data.slots.level[false][false][stage->level];
    const int64_t batches = all.count - find_boundary(op).count;

    for (int part = 0; part < parts; part++) {
        const int64_t first = batches * part / parts;
        const sedge_span span = {.first = all.first + first,
                                 .count = batches * (part + 1) / parts - first};
        SEDGE_TRY(run_batches(op, fields, stream, span, stage));
        if (parts > 1) sedge_halo_progress(op->exchange.halo);
    }
    return SEDGE_OK;
}

static bool has_curved(const sedge_operator *op)
{
    return op->data.slots.span[false][true].count > 0;
}

// Whether a stage has work for the side stream.
static bool has_side(const sedge_operator *op)
{
    return sedge_halo_has_peers(op->exchange.halo) || has_boundary_apart(op) || has_curved(op);
}

// The stage of a level.
static sedge_stage at_level(const sedge_stage *stage, int level)
{
    sedge_stage out = *stage;

    if (level == 0) return out;
    out.level = level;
    out.dt = ldexp(stage->dt, level);
    out.delay = stage->delay + stage->dt - out.dt;
    return out;
}

// Curved elements of levels 0 to `ended`. They do not wait for the seams, which straight ones read.
static sedge_status run_curved_beside(sedge_operator *op, const operator_fields *fields,
                                      const sedge_stage *stage, int ended)
{
    sedge_fan *const fan = &op->events.side;
    sedge_stream *stream;

    SEDGE_TRY(sedge_stream_wait_event(op->side, op->events.traces_ready));
    SEDGE_TRY(sedge_fan_open(fan, op->side, op->launcher.sampling));
    for (int level = ended; level >= 0; level--) {
        const sedge_stage now = at_level(stage, level);
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(operator_run_curved(op, fields, stream, false, &now));
    }
    return sedge_fan_close(fan);
}

// What does not wait for other ranks' traces. Curved elements, and the boundary's part where it
// can, go into the side stream: other kernels fill what theirs leave of the device.
static sedge_status run_own(sedge_operator *op, const operator_fields *fields, int parts,
                            const sedge_stage *stage, operator_levels levels)
{
    const int ended = levels.ended;
    const bool beside = has_boundary_apart(op);
    const bool forks = has_side(op);
    sedge_fan *const fan = &op->events.main;
    sedge_stream *stream;

    SEDGE_TRY(sedge_fan_open(fan, op->main, op->launcher.sampling));
    if (op->mesh->levels > 1) {
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(operator_make_step_traces(op, fields, stream, levels.started));
    }
    for (int level = ended; level >= 0 && !beside; level--) {
        const sedge_stage now = at_level(stage, level);
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(make_boundary_traces(op, fields, stream, &now));
    }
    SEDGE_TRY(sedge_fan_close(fan));
    if (forks) SEDGE_TRY(sedge_event_record(op->events.traces_ready, op->main));
    // Seams read traces between levels, too.
    SEDGE_TRY(operator_seams_run(op, fields, op->main, false, 0, ended));
    if (forks) SEDGE_TRY(sedge_event_record(op->events.seams_ready, op->main));
    if (beside) SEDGE_TRY(make_boundary_traces(op, fields, op->side, stage));
    if (has_curved(op)) SEDGE_TRY(run_curved_beside(op, fields, stage, ended));
    if (beside) {
        SEDGE_TRY(sedge_stream_wait_event(op->side, op->events.seams_ready));
        SEDGE_TRY(run_batches(op, fields, op->side, find_boundary(op), stage));
    }
    SEDGE_TRY(sedge_fan_open(fan, op->main, op->launcher.sampling));
    for (int level = ended; level >= 0; level--) {
        const sedge_stage now = at_level(stage, level);
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(run_interior(op, fields, stream, parts, &now));
    }
    return sedge_fan_close(fan);
}

// The device goes on with its own elements while traces move; the halo elements need not wait for
// their end. On the host device the work happens inside the calls of this thread, so the messages
// have left before it (operator_run_stage).
static sedge_status run_and_exchange(sedge_operator *op, const operator_fields *fields,
                                     const sedge_stage *stage, operator_levels levels)
{
    const bool is_host = sedge_device_get_traits(op->device)->in_call;
    sedge_stream *stream;

    SEDGE_TRY(run_own(op, fields, is_host ? HOST_PARTS : 1, stage, levels));
    SEDGE_TRY(sedge_event_record(op->events.interior_done, op->main));
    SEDGE_TRY(operator_exchange_receive(op, levels.started));
    SEDGE_TRY(sedge_stream_wait_event(op->side, op->events.seams_ready));
    SEDGE_TRY(sedge_fan_open(&op->events.side, op->side, op->launcher.sampling));
    for (int level = levels.ended; level >= 0; level--) {
        const sedge_stage now = at_level(stage, level);
        SEDGE_TRY(sedge_fan_pick(&op->events.side, &stream));
        SEDGE_TRY(run_halo_elements(op, fields, stream, &now));
    }
    SEDGE_TRY(sedge_fan_close(&op->events.side));
    return operator_exchange_note(op);
}

sedge_status operator_run_stage(sedge_operator *op, const operator_fields *fields,
                                const sedge_stage *stage, operator_levels levels)
{
    const bool exchanges = sedge_halo_has_peers(op->exchange.halo);
    const bool forks = has_side(op);

    if (forks) SEDGE_TRY(sedge_event_record(op->events.ready, op->main));
    if (forks && !levels.follows) SEDGE_TRY(sedge_stream_wait_event(op->side, op->events.ready));
    if (exchanges) SEDGE_TRY(operator_exchange_send(op, fields, levels.started));
    if (forks && levels.follows) SEDGE_TRY(sedge_stream_wait_event(op->side, op->events.ready));
    SEDGE_TRY(exchanges ? run_and_exchange(op, fields, stage, levels)
                        : run_own(op, fields, 1, stage, levels));
    if (forks) {
        SEDGE_TRY(sedge_event_record(op->events.side_done, op->side));
        SEDGE_TRY(sedge_stream_wait_event(op->main, op->events.side_done));
    }
    op->stages++;
    return SEDGE_OK;
}

void operator_count_stages(sedge_operator *op, int stages, const int64_t launches[KERNELS])
{
    for (int k = 0; k < KERNELS; k++) op->launcher.launches[k] += launches[k];
    if (sedge_halo_has_peers(op->exchange.halo)) sedge_halo_skip(op->exchange.halo, stages);
    op->stages += stages;
}

sedge_status operator_wait(sedge_operator *op)
{
    SEDGE_TRY(sedge_stream_wait(op->main));
    SEDGE_TRY(sedge_stream_wait(op->side));
    return operator_read_samples(&op->launcher);
}
