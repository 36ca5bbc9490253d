#include "operator/step_traces.h"

#include "operator/launch.h"
#include "operator/parts.h"

typedef struct trace_list {
    const sedge_buffer *faces; // as sedge_step_face of dg_predictor.h
    uint64_t address;          // of the first trace
    int64_t count;
    const operator_parcels *parcels; // NULL: all neighbours are on this rank
} trace_list;

static int64_t count_blocks(int64_t points)
{
    return (points + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS;
}

static sedge_status make_traces(sedge_operator *op, const operator_fields *means,
                                sedge_stream *stream, const trace_list *list, int started)
{
    const int threads = operator_sent_threads(sedge_device_get_info(op->device));
    uint64_t mean = sedge_buffer_address(means->u[0]);
    uint64_t half = sedge_buffer_address(means->u[1]);
    uint64_t faces = sedge_buffer_address(list->faces);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t trace = list->address;
    int64_t points = list->count * op->element->face_nodes;
    operator_parcels to = list->parcels != NULL ? *list->parcels : (operator_parcels){.count = 0};
    const int64_t blocks = (points + threads - 1) / threads;
    int turns = to.count > 0 ? operator_sent_turns(op, blocks) : 1;
    void *const arguments[] = {&mean,    &half,    &faces,    &tables,   &trace, &points,
                               &started, &to.list, &to.ended, &to.count, &turns};

    if (list->parcels == NULL) {
        return operator_launch(&op->launcher, KERNEL_STEP_TRACES, stream, count_blocks(points),
                               SEDGE_TRACE_THREADS, arguments, 7);
    }
    return operator_launch(&op->launcher, KERNEL_PACK_TRACES, stream, (blocks + turns - 1) / turns,
                           threads, arguments, 11);
}

sedge_status operator_make_step_traces(sedge_operator *op, const operator_fields *means,
                                       sedge_stream *stream, int started)
{
    const int64_t face_bytes =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;
    const int64_t first = (int64_t)op->mesh->halo_faces + op->mesh->boundary_faces;
    const trace_list list = {.faces = op->predictor.step_faces,
                             .address = sedge_buffer_address(op->faces.trace) +
                                        (uint64_t)(first * face_bytes),
                             .count = op->predictor.pair_faces[started]};

    return make_traces(op, means, stream, &list, started);
}

sedge_status operator_pack_step_traces(sedge_operator *op, const operator_fields *means,
                                       sedge_stream *stream, int started,
                                       const operator_parcels *parcels)
{
    const trace_list list = {.faces = op->predictor.step_halo,
                             .address = sedge_buffer_address(op->exchange.packed),
                             .count = op->mesh->halo_faces,
                             .parcels = parcels};

    return make_traces(op, means, stream, &list, started);
}

sedge_status operator_take_step_traces(sedge_operator *op, sedge_stream *stream, int started)
{
    uint64_t faces = sedge_buffer_address(op->predictor.step_halo);
    uint64_t stored = sedge_halo_inlet(op->exchange.halo);
    uint64_t trace = sedge_buffer_address(op->faces.trace);
    int64_t points = (int64_t)op->mesh->halo_faces * op->element->face_nodes;
    void *const arguments[] = {&faces, &stored, &trace, &points, &started};

    return operator_launch(&op->launcher, KERNEL_TAKE_TRACES, stream, count_blocks(points),
                           SEDGE_TRACE_THREADS, arguments, 5);
}

int operator_sent_threads(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->gpu_rules ? 1024 : SEDGE_TRACE_THREADS;
}

int operator_sent_turns(const sedge_operator *op, int64_t blocks)
{
    const int64_t most = (sedge_device_get_info(op->device)->multiprocessors + 1) / 2;

    if (!sedge_halo_stores(op->exchange.halo) || blocks <= most) return 1;
    return (int)((blocks + most - 1) / most);
}
