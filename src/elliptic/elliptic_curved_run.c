// Curved elements of the elliptic operator on the device
// (codegen/kernels/elliptic/dg_elliptic_curved.h).
#include "elliptic.h"
#include "elliptic_state.h"

#include "base/memory.h"
#include "layout/upload.h"

#define MAP_WORDS   (3 * SEDGE_CURVE_TERMS)
#define CURVE_WORDS (MAP_WORDS + 2 * SEDGE_FACES) // sedge_elliptic_curve

// ---- what the kernels read ---------------------------------------------------------------------

// In the order of dg_elliptic_curved.h.
static sedge_status upload_operators(sedge_elliptic *op, const elliptic_curved *curved)
{
    const int64_t nodes = curved->nodes;
    const int64_t all = curved->all;
    const int64_t traces = (int64_t)curved->face_points * curved->face_nodes;
    const int64_t slopes = 3 * nodes * all;
    sedge_status status;
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, 2 * slopes + 2 * traces + 4 * all, sizeof *list));
    double *at = list;
    for (int64_t k = 0; k < 3 * nodes; k++)
        for (int64_t p = 0; p < all; p++) *at++ = curved->slopes[p * 3 * nodes + k];
    for (int64_t i = 0; i < slopes; i++) *at++ = curved->slopes[i];
    for (int i = 0; i < curved->face_nodes; i++) {
        for (int p = 0; p < curved->face_points; p++)
            *at++ = elliptic_curved_trace(curved, op->element, p, i);
    }
    for (int64_t i = 0; i < traces; i++) *at++ = curved->project[i];
    for (int64_t i = 0; i < 3 * all; i++) *at++ = curved->place[i / 3][i % 3];
    for (int64_t p = 0; p < all; p++) *at++ = curved->weight[p];
    status = sedge_upload_reals(&op->curved_operators, op->device, op->config.real_bytes, list,
                                at - list);
    sedge_release(list);
    return status;
}

static void fill_curve(double words[CURVE_WORDS], const sedge_mesh *mesh, int32_t e,
                       const sedge_elliptic_face *faces)
{
    double map[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(mesh, e, map);
    for (int k = 0; k < MAP_WORDS; k++) words[k] = map[k / 3][k % 3];
    for (int f = 0; f < SEDGE_FACES; f++) {
        const bool given = faces[f].g == 0.0; // the normal derivative
        words[MAP_WORDS + f] = given ? 0.0 : faces[f].tau;
        words[MAP_WORDS + SEDGE_FACES + f] = given ? faces[f].tau : 0.0;
    }
}

sedge_status elliptic_curved_upload(sedge_elliptic *op, const elliptic_curved *curved,
                                    const sedge_elliptic_face *faces)
{
    const int64_t slots = op->slots.curved_batches * op->slots.lanes;
    double(*words)[CURVE_WORDS] = NULL;

    if (!op->config.curved) return SEDGE_OK;
    SEDGE_TRY(upload_operators(op, curved));
    SEDGE_TRY(sedge_allocate(&words, slots, sizeof *words));
    for (int64_t slot = 0; slot < slots; slot++) // empty ones: x = r, y = s, z = t
        for (int d = 0; d < 3; d++) words[slot][3 + 4 * d] = 1.0;
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        if (sedge_mesh_curve(op->mesh, e) < 0) continue;
        fill_curve(words[sedge_curved_slot(&op->slots, e)], op->mesh, e,
                   faces + (int64_t)e * SEDGE_FACES);
    }
    const sedge_status status =
        sedge_upload_words(&op->curves, op->device, op->config.real_bytes, (const double *)words,
                           slots, CURVE_WORDS, op->slots.lanes);
    sedge_release(words);
    return status;
}

// ---- launches ----------------------------------------------------------------------------------

static int64_t blocks_of(const sedge_elliptic *op, const sedge_span *span)
{
    return (span->count + op->config.curved_block - 1) / op->config.curved_block;
}

sedge_status elliptic_curved_flux(sedge_elliptic *op, const elliptic_application *a,
                                  const sedge_span *span)
{
    if (span->count == 0) return SEDGE_OK;
    return SEDGE_LAUNCH(op->kernel[ELLIPTIC_CURVED_FLUX], a->stream, blocks_of(op, span),
                        sedge_buffer_argument(a->x), sedge_buffer_argument(op->flux),
                        sedge_buffer_argument(op->curves),
                        sedge_buffer_argument(op->curved_operators),
                        sedge_int64_argument(span->first), sedge_int64_argument(span->first_curve),
                        sedge_int64_argument(span->count));
}

sedge_status elliptic_curved_apply(sedge_elliptic *op, const elliptic_application *a,
                                   const sedge_span *span)
{
    if (span->count == 0) return SEDGE_OK;
    return SEDGE_LAUNCH(op->kernel[ELLIPTIC_CURVED_APPLY], a->stream, blocks_of(op, span),
                        sedge_buffer_argument(a->x), sedge_buffer_argument(op->flux),
                        sedge_buffer_argument(op->behind), sedge_buffer_argument(a->b),
                        sedge_buffer_argument(a->out), sedge_buffer_argument(op->links),
                        sedge_buffer_argument(op->geometry), sedge_buffer_argument(op->curves),
                        sedge_buffer_argument(op->curved_operators),
                        sedge_buffer_argument(op->maps), sedge_int64_argument(span->first),
                        sedge_int64_argument(span->first_curve), sedge_int64_argument(span->count),
                        sedge_int64_argument(op->mesh->halo_faces), elliptic_real(op, a->base),
                        elliptic_real(op, a->factor));
}
