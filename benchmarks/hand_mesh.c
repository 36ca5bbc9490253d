#define _DEFAULT_SOURCE // MADV_HUGEPAGE
#include "hand.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

static void put(void *array, int real_bytes, int64_t index, double value)
{
    if (real_bytes == 8) {
        ((double *)array)[index] = value;
    } else {
        ((float *)array)[index] = (float)value;
    }
}

// Index of (element, row) in an array [blocks][rows][lanes].
static int64_t at(const hand_mesh *hand, int64_t element, int rows, int row)
{
    return (element / hand->lanes * rows + row) * hand->lanes + element % hand->lanes;
}

// On large pages, as the host device's buffers. Zero; release with free.
static sedge_status allocate_state(void **out, int64_t count, size_t size)
{
    const size_t bytes = ((size_t)count * size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

    *out = aligned_alloc(LARGE_PAGE, bytes);
    if (*out == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of host memory: %.1f MiB were asked for",
                          (double)bytes / 1048576.0);
    }
    (void)madvise(*out, bytes, MADV_HUGEPAGE);
    memset(*out, 0, bytes);
    return SEDGE_OK;
}

static sedge_status allocate_all(hand_mesh *hand, const sedge_element *element)
{
    const int64_t slots = hand->blocks * hand->lanes;
    const int nodes = element->nodes;
    const size_t real = (size_t)hand->real_bytes;

    SEDGE_TRY(sedge_allocate(&hand->metric, slots * 9, real));
    SEDGE_TRY(sedge_allocate(&hand->normal, slots * 16, real));
    SEDGE_TRY(sedge_allocate(&hand->neighbour, slots * 4, sizeof *hand->neighbour));
    SEDGE_TRY(sedge_allocate(&hand->code, slots * 4, sizeof *hand->code));
    for (int j = 0; j < 3; j++)
        SEDGE_TRY(sedge_allocate(&hand->derivative[j], (int64_t)nodes * nodes, real));
    SEDGE_TRY(sedge_allocate(&hand->lift, (int64_t)nodes * 4 * element->face_nodes, real));
    SEDGE_TRY(sedge_allocate(&hand->own, (int64_t)4 * element->face_nodes, sizeof *hand->own));
    SEDGE_TRY(sedge_allocate(&hand->other, (int64_t)24 * element->face_nodes, sizeof *hand->other));
    SEDGE_TRY(allocate_state(&hand->u, slots * 6 * nodes, real));
    SEDGE_TRY(allocate_state(&hand->next, slots * 6 * nodes, real));
    return allocate_state(&hand->residual, slots * 6 * nodes, real);
}

static void fill_tables(hand_mesh *hand, const sedge_element *element)
{
    const int nodes = element->nodes;
    const int width = element->face_nodes;

    for (int n = 0; n < nodes; n++) {
        for (int j = 0; j < 3; j++) {
            for (int m = 0; m < nodes; m++) {
                put(hand->derivative[j], hand->real_bytes, (int64_t)m * nodes + n,
                    element->derivative[j][n * nodes + m]);
            }
        }
        for (int k = 0; k < 4 * width; k++) {
            put(hand->lift, hand->real_bytes, (int64_t)k * nodes + n,
                element->lift[n * 4 * width + k]);
        }
    }
    for (int k = 0; k < 4 * width; k++) hand->own[k] = (int16_t)element->face_node[k];
    for (int code = 0; code < 24; code++) {
        for (int i = 0; i < width; i++) {
            hand->other[code * width + i] =
                (int16_t)
                    element->face_node[code / 6 * width + element->permuted[code % 6 * width + i]];
        }
    }
}

static void fill_geometry(hand_mesh *hand, const sedge_mesh *mesh)
{
    for (int64_t i = 0; i < hand->blocks * hand->lanes * 4; i++) hand->code[i] = -1;
    for (int32_t e = 0; e < mesh->elements; e++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, mesh->corners[e]);
        for (int k = 0; k < 9; k++)
            put(hand->metric, hand->real_bytes, at(hand, e, 9, k), geometry.metric[k / 3][k % 3]);
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            const bool wall = face->neighbour < 0;
            for (int d = 0; d < 3; d++) {
                put(hand->normal, hand->real_bytes, at(hand, e, 16, f * 4 + d),
                    geometry.normal[f][d]);
            }
            put(hand->normal, hand->real_bytes, at(hand, e, 16, f * 4 + 3), geometry.face_scale[f]);
            hand->neighbour[at(hand, e, 4, f)] = wall ? e : face->neighbour;
            hand->code[at(hand, e, 4, f)] =
                (int16_t)(wall ? -1 : face->face * 6 + face->orientation);
        }
    }
}

sedge_status hand_mesh_create(hand_mesh **out, const sedge_mesh *mesh, const sedge_element *element,
                              int real_bytes, int lanes)
{
    sedge_status status;
    hand_mesh *hand = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&hand, 1, sizeof *hand));
    hand->order = element->order;
    hand->real_bytes = real_bytes;
    hand->lanes = lanes > 0 ? lanes : HAND_BYTES / real_bytes;
    hand->blocks = (mesh->elements + hand->lanes - 1) / hand->lanes;
    SEDGE_TRY_GOTO(status, allocate_all(hand, element));
    fill_tables(hand, element);
    fill_geometry(hand, mesh);
    *out = hand;
    hand = NULL;
done:
    hand_mesh_free(hand);
    return status;
}

void hand_mesh_free(hand_mesh *hand)
{
    if (hand == NULL) return;
    void *const arrays[] = {hand->metric,
                            hand->normal,
                            hand->neighbour,
                            hand->code,
                            hand->derivative[0],
                            hand->derivative[1],
                            hand->derivative[2],
                            hand->lift,
                            hand->own,
                            hand->other,
                            hand};
    free(hand->u);
    free(hand->next);
    free(hand->residual);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sedge_release(arrays[i]);
}

void hand_set(hand_mesh *hand, const sedge_mesh *mesh, const sedge_element *element,
              const double *u)
{
    const int rows = 6 * element->nodes;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int row = 0; row < rows; row++)
            put(hand->u, hand->real_bytes, at(hand, e, rows, row), u[(int64_t)e * rows + row]);
    }
}

void hand_get(const hand_mesh *hand, const sedge_mesh *mesh, const sedge_element *element,
              double *u)
{
    const int rows = 6 * element->nodes;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int row = 0; row < rows; row++) {
            const int64_t index = at(hand, e, rows, row);
            u[(int64_t)e * rows + row] = hand->real_bytes == 8 ? ((double *)hand->u)[index]
                                                               : (double)((float *)hand->u)[index];
        }
    }
}
