#include "elliptic.h"
#include "elliptic_shape.h"
#include "elliptic_state.h"

#include "base/memory.h"
#include "device/cpu.h"
#include "layout/mesh_upload.h"
#include "layout/upload.h"

#include <stdint.h>
#include <string.h>

int64_t elliptic_index(const sedge_elliptic *op, int32_t element, int node)
{
    const int64_t lanes = op->slots.lanes;
    const int64_t slot = sedge_slot(&op->slots, element);

    return (slot / lanes * op->element->nodes + node) * lanes + slot % lanes;
}

// ---- what the mesh gives -----------------------------------------------------------------------

// Empty slots are reference elements of their own, whose blocks can be inverted. Words lie together
// for a chunk of SIMD batches, as for one batch with as many more lanes.
static sedge_status upload_geometry(sedge_elliptic *op, const elliptic_curved *curved,
                                    const sedge_elliptic_face *faces)
{
    static const double empty[ELLIPTIC_SHAPE_WORDS] = {1, 1, 1, 0, 0, 0, 1, 0,
                                                       0, 1, 0, 1, 0, 1, 0, 1};
    const int lanes = op->config.chunk * op->slots.lanes;
    const int64_t slots = (op->slots.count + lanes - 1) / lanes * lanes;
    double(*shapes)[ELLIPTIC_SHAPE_WORDS] = NULL;

    SEDGE_TRY(sedge_allocate(&shapes, slots, sizeof *shapes));
    for (int64_t slot = 0; slot < slots; slot++) memcpy(shapes[slot], empty, sizeof empty);
    for (int32_t e = 0; e < op->mesh->elements; e++)
        elliptic_shape(shapes[sedge_slot(&op->slots, e)], op->mesh, op->problem, curved, faces, e);
    const sedge_status status = sedge_upload_words(&op->geometry, op->device, op->config.real_bytes,
                                                   shapes[0], slots, ELLIPTIC_SHAPE_WORDS, lanes);
    sedge_release(shapes);
    return status;
}

// ---- what the element gives --------------------------------------------------------------------

// The maps of faces, and behind them the point of each face at a node, or -1, [nodes][4].
static sedge_status upload_maps(sedge_elliptic *op)
{
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    const int64_t maps = (int64_t)SEDGE_FACE_MAPS * width;
    const int64_t count = maps + (int64_t)element->nodes * SEDGE_FACES;
    int16_t *tables = NULL;

    SEDGE_TRY(sedge_allocate(&tables, count, sizeof *tables));
    sedge_fill_face_maps(tables, element);
    for (int64_t i = maps; i < count; i++) tables[i] = -1;
    for (int k = 0; k < SEDGE_FACES * width; k++)
        tables[maps + (int64_t)element->face_node[k] * SEDGE_FACES + k / width] = (int16_t)k;
    return sedge_upload(&op->maps, op->device, tables, count, sizeof *tables);
}

sedge_status elliptic_upload(sedge_elliptic *op, const sedge_elliptic_face *faces)
{
    sedge_status status;
    elliptic_curved *curved = NULL;

    op->slots = sedge_slots_place(op->mesh, op->config.lanes);
    if (op->config.curved) SEDGE_TRY(elliptic_curved_create(&curved, op->element, true));
    status = upload_geometry(op, curved, faces);
    if (status == SEDGE_OK) status = elliptic_curved_upload(op, curved, faces);
    elliptic_curved_free(curved);
    SEDGE_TRY(status);
    SEDGE_TRY(sedge_upload_links(&op->links, op->device, &op->slots,
                                 sedge_cpu_share(sedge_comm_node_size(op->comm))));
    SEDGE_TRY(
        sedge_upload_trace_faces(&op->halo_list, op->device, &op->slots, 0, op->mesh->halo_faces));
    return upload_maps(op);
}

// ---- vectors -----------------------------------------------------------------------------------

sedge_status sedge_elliptic_upload(const sedge_elliptic *op, sedge_buffer *vector, const double *u)
{
    const int nodes = op->element->nodes;
    const int64_t rows = sedge_elliptic_rows(op);
    sedge_status status;
    void *list = NULL;

    SEDGE_TRY_GOTO(status, sedge_stream_wait(sedge_context_stream(op->context)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, rows, (size_t)sedge_elliptic_real_bytes(op)));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        for (int n = 0; n < nodes; n++) {
            sedge_real_put(list, op->config.real_bytes, elliptic_index(op, e, n),
                           u[(int64_t)e * nodes + n]);
        }
    }
    SEDGE_TRY_GOTO(
        status, sedge_buffer_upload(vector, 0, list, rows * sedge_elliptic_real_bytes(op), NULL));
done:
    sedge_release(list);
    return status;
}

sedge_status sedge_elliptic_download(const sedge_elliptic *op, const sedge_buffer *vector,
                                     double *u)
{
    const int nodes = op->element->nodes;
    const int64_t rows = sedge_elliptic_rows(op);
    sedge_status status;
    void *list = NULL;

    SEDGE_TRY_GOTO(status, sedge_stream_wait(sedge_context_stream(op->context)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, rows, (size_t)sedge_elliptic_real_bytes(op)));
    SEDGE_TRY_GOTO(
        status, sedge_buffer_download(vector, 0, list, rows * sedge_elliptic_real_bytes(op), NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        for (int n = 0; n < nodes; n++) {
            u[(int64_t)e * nodes + n] =
                sedge_real_get(list, op->config.real_bytes, elliptic_index(op, e, n));
        }
    }
done:
    sedge_release(list);
    return status;
}
