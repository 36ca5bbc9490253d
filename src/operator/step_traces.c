#include "operator/step_traces.h"

#include "operator/launch.h"
#include "operator/parts.h"

// Traces into `trace`, `address` of the first.
static sedge_status make_traces(sedge_operator *op, const operator_fields *means,
                                sedge_stream *stream, const sedge_buffer *list, uint64_t address,
                                int64_t count, int started)
{
    uint64_t mean = sedge_buffer_address(means->u[0]);
    uint64_t half = sedge_buffer_address(means->u[1]);
    uint64_t faces = sedge_buffer_address(list);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    int64_t points = count * op->element->face_nodes;
    void *const arguments[] = {&mean, &half, &faces, &tables, &address, &points, &started};

    return operator_launch(&op->launcher, KERNEL_STEP_TRACES, stream,
                           (points + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                           SEDGE_TRACE_THREADS, arguments, 7);
}

sedge_status operator_make_step_traces(sedge_operator *op, const operator_fields *means,
                                       int started)
{
    const int64_t face_bytes =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * op->layout.real_bytes;
    const int64_t first = (int64_t)op->mesh->halo_faces + op->mesh->boundary_faces;
    const uint64_t trace = sedge_buffer_address(op->faces.trace) + (uint64_t)(first * face_bytes);

    return make_traces(op, means, op->main, op->predictor.step_faces, trace,
                       op->predictor.pair_faces[started], started);
}

sedge_status operator_pack_step_traces(sedge_operator *op, const operator_fields *means,
                                       sedge_stream *stream, int started)
{
    return make_traces(op, means, stream, op->predictor.step_halo,
                       sedge_buffer_address(op->exchange.packed), op->mesh->halo_faces, started);
}
