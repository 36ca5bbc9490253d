#include "elliptic.h"
#include "elliptic_state.h"

#include "base/memory.h"

#include <stdint.h>

int64_t elliptic_slot(const sedge_elliptic *op, int32_t element)
{
    const sedge_mesh *const mesh = op->mesh;
    const bool outer = element >= mesh->interior;
    const elliptic_range *const range = &op->range[outer];
    const int32_t first = outer ? mesh->interior : 0;
    const int32_t first_curved =
        outer ? mesh->elements - mesh->edge_curved : mesh->interior - mesh->interior_curved;

    if (element < first_curved) return range->first * op->cut.lanes + (element - first);
    return range->first_curved * op->cut.lanes + (element - first_curved);
}

int64_t elliptic_curved_slot(const sedge_elliptic *op, int32_t element)
{
    const elliptic_range *const range = &op->range[element >= op->mesh->interior];

    return elliptic_slot(op, element) + (range->first_curve - range->first_curved) * op->cut.lanes;
}

// Each of the four kinds of elements filled up to whole values.
static void count_values(sedge_elliptic *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int64_t lanes = op->cut.lanes;
    const int32_t elements[2] = {mesh->interior, mesh->elements - mesh->interior};
    const int32_t curved[2] = {mesh->interior_curved, mesh->edge_curved};

    op->values = 0;
    for (int k = 0; k < 2; k++) {
        elliptic_range *const range = &op->range[k];
        range->first = op->values;
        range->straight = (elements[k] - curved[k] + lanes - 1) / lanes;
        range->first_curved = range->first + range->straight;
        range->curved = (curved[k] + lanes - 1) / lanes;
        range->first_curve = k == 0 ? 0 : op->range[0].curved;
        op->values = range->first_curved + range->curved;
    }
}

int64_t elliptic_index(const sedge_elliptic *op, int64_t slot, int node)
{
    const int64_t lanes = op->cut.lanes;

    return (slot / lanes * op->element->nodes + node) * lanes + slot % lanes;
}

sedge_status elliptic_upload_list(sedge_buffer **out, const sedge_elliptic *op, void *from,
                                  int64_t count, size_t size)
{
    const int64_t bytes = count * (int64_t)size;
    sedge_status status = sedge_buffer_create(out, op->device, bytes > 0 ? bytes : 16);

    if (status == SEDGE_OK && bytes > 0) status = sedge_buffer_upload(*out, 0, from, bytes, NULL);
    sedge_release(from);
    return status;
}

sedge_status elliptic_upload_reals(sedge_buffer **out, const sedge_elliptic *op,
                                   const double *values, int64_t count)
{
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, (size_t)sedge_elliptic_real_bytes(op)));
    for (int64_t i = 0; i < count; i++) elliptic_put(op, list, i, values[i]);
    return elliptic_upload_list(out, op, list, count, (size_t)sedge_elliptic_real_bytes(op));
}

// ---- what the mesh gives -----------------------------------------------------------------------

static void fill_shape(double shape[ELLIPTIC_SHAPE_WORDS], const sedge_elliptic *op, int32_t e,
                       const elliptic_curved *curved, const sedge_elliptic_face *faces)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const sedge_mesh *const mesh = op->mesh;
    sedge_geometry geometry;

    if (sedge_mesh_curve(mesh, e) >= 0) {
        double map[SEDGE_CURVE_TERMS][3];
        sedge_mesh_expand(mesh, e, map);
        elliptic_curved_shape(shape, curved, map, faces + (int64_t)e * SEDGE_FACES);
        shape[6] =
            op->problem->equation->elliptic->coefficient(op->problem->materials[mesh->group[e]]);
        return;
    }
    sedge_geometry_compute(&geometry, mesh->corners[e]);
    for (int k = 0; k < 6; k++) {
        const double *const a = geometry.metric[pairs[k][0]];
        const double *const b = geometry.metric[pairs[k][1]];
        shape[k] = geometry.jacobian * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    shape[6] = op->problem->equation->elliptic->coefficient(op->problem->materials[mesh->group[e]]);
    shape[7] = 0.0;
    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_elliptic_face *const face = &faces[e * SEDGE_FACES + f];
        shape[8 + 2 * f] = face->g;
        shape[9 + 2 * f] = face->tau * geometry.face_scale[f] * geometry.jacobian;
    }
}

static int64_t shape_index(const sedge_elliptic *op, int64_t slot, int word)
{
    const int64_t lanes = op->cut.lanes;
    const int64_t chunk = op->cut.chunk;
    const int64_t value = slot / lanes;

    return ((value / chunk * ELLIPTIC_SHAPE_WORDS + word) * chunk + value % chunk) * lanes +
           slot % lanes;
}

// Empty slots are reference elements of their own, whose blocks can be inverted.
static sedge_status upload_geometry(sedge_elliptic *op, const elliptic_curved *curved,
                                    const sedge_elliptic_face *faces)
{
    static const double empty[ELLIPTIC_SHAPE_WORDS] = {1, 1, 1, 0, 0, 0, 1, 0,
                                                       0, 1, 0, 1, 0, 1, 0, 1};
    const int64_t chunk = op->cut.chunk;
    const int64_t slots = (op->values + chunk - 1) / chunk * chunk * op->cut.lanes;
    void *list = NULL;

    SEDGE_TRY(
        sedge_allocate(&list, slots * ELLIPTIC_SHAPE_WORDS, (size_t)sedge_elliptic_real_bytes(op)));
    for (int64_t slot = 0; slot < slots; slot++) {
        for (int k = 0; k < ELLIPTIC_SHAPE_WORDS; k++)
            elliptic_put(op, list, shape_index(op, slot, k), empty[k]);
    }
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        double shape[ELLIPTIC_SHAPE_WORDS];

        fill_shape(shape, op, e, curved, faces);
        for (int k = 0; k < ELLIPTIC_SHAPE_WORDS; k++)
            elliptic_put(op, list, shape_index(op, elliptic_slot(op, e), k), shape[k]);
    }
    return elliptic_upload_list(&op->geometry, op, list, slots * ELLIPTIC_SHAPE_WORDS,
                                (size_t)sedge_elliptic_real_bytes(op));
}

static sedge_status upload_links(sedge_elliptic *op)
{
    const int64_t slots = op->values * op->cut.lanes;
    int32_t(*links)[2] = NULL;

    SEDGE_TRY(sedge_allocate(&links, slots * SEDGE_FACES, sizeof *links));
    for (int64_t slot = 0; slot < slots; slot++) {
        for (int f = 0; f < SEDGE_FACES; f++) { // an empty slot is its own neighbour
            links[slot * SEDGE_FACES + f][0] = (int32_t)slot;
            links[slot * SEDGE_FACES + f][1] = f * 6;
        }
    }
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &op->mesh->faces[e][f];
            int32_t *const link = links[elliptic_slot(op, e) * SEDGE_FACES + f];
            link[0] = face->neighbour >= 0 ? (int32_t)elliptic_slot(op, face->neighbour)
                                           : face->neighbour;
            link[1] = face->face * 6 + face->orientation;
        }
    }
    return elliptic_upload_list(&op->links, op, links, slots * SEDGE_FACES, sizeof *links);
}

static sedge_status upload_halo_list(sedge_elliptic *op)
{
    int32_t(*list)[2] = NULL;

    SEDGE_TRY(sedge_allocate(&list, op->mesh->halo_faces, sizeof *list));
    for (int32_t i = 0; i < op->mesh->halo_faces; i++) {
        const sedge_trace_face *const face = &op->mesh->trace_faces[i];
        list[i][0] = (int32_t)elliptic_slot(op, face->element);
        list[i][1] = face->face;
    }
    return elliptic_upload_list(&op->halo_list, op, list, op->mesh->halo_faces, sizeof *list);
}

// ---- what the element gives --------------------------------------------------------------------

static sedge_status upload_maps(sedge_elliptic *op)
{
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    const int64_t maps = (int64_t)(4 + 48) * width;
    const int64_t count = maps + (int64_t)element->nodes * SEDGE_FACES;
    int16_t *tables = NULL;

    SEDGE_TRY(sedge_allocate(&tables, count, sizeof *tables));
    for (int k = 0; k < SEDGE_FACES * width; k++) tables[k] = (int16_t)element->face_node[k];
    for (int code = 0; code < 24; code++) {
        const int *const permuted = element->permuted + (int64_t)code % 6 * width;
        for (int i = 0; i < width; i++) {
            tables[(4 + code) * width + i] =
                (int16_t)element->face_node[code / 6 * width + permuted[i]];
            tables[(28 + code) * width + i] = (int16_t)permuted[i];
        }
    }
    for (int64_t i = maps; i < count; i++) tables[i] = -1;
    for (int k = 0; k < SEDGE_FACES * width; k++)
        tables[maps + (int64_t)element->face_node[k] * SEDGE_FACES + k / width] = (int16_t)k;
    return elliptic_upload_list(&op->maps, op, tables, count, sizeof *tables);
}

sedge_status elliptic_upload(sedge_elliptic *op, const sedge_elliptic_face *faces)
{
    sedge_status status;
    elliptic_curved *curved = NULL;

    count_values(op);
    if (op->cut.curved) SEDGE_TRY(elliptic_curved_create(&curved, op->element, true));
    status = upload_geometry(op, curved, faces);
    if (status == SEDGE_OK) status = elliptic_curved_upload(op, curved, faces);
    elliptic_curved_free(curved);
    SEDGE_TRY(status);
    SEDGE_TRY(upload_links(op));
    SEDGE_TRY(upload_halo_list(op));
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
        const int64_t slot = elliptic_slot(op, e);
        for (int n = 0; n < nodes; n++)
            elliptic_put(op, list, elliptic_index(op, slot, n), u[(int64_t)e * nodes + n]);
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
        const int64_t slot = elliptic_slot(op, e);
        for (int n = 0; n < nodes; n++) {
            const int64_t at = elliptic_index(op, slot, n);
            u[(int64_t)e * nodes + n] = sedge_elliptic_real_bytes(op) == 8
                                            ? ((const double *)list)[at]
                                            : (double)((const float *)list)[at];
        }
    }
done:
    sedge_release(list);
    return status;
}
