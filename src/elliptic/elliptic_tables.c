#include "elliptic.h"
#include "elliptic_state.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "layout/upload.h"

#include <stdint.h>

// The operator's matrices: deriv and weak [nodes][3 nodes], D_j and D_j^T M with column 3 m + j;
// lift and mass [nodes][face points], the mass E M.
typedef struct matrices {
    double *deriv, *weak, *mass;
    const double *lift;
} matrices;

static void clear_matrices(matrices *m)
{
    sedge_release(m->deriv);
    sedge_release(m->weak);
    sedge_release(m->mass);
}

static sedge_status make_matrices(matrices *out, const sedge_element *element)
{
    const int nodes = element->nodes;
    const int nf = element->face_nodes;
    const int points = SEDGE_FACES * nf;
    const int64_t size = (int64_t)nodes * nodes;
    sedge_status status;
    double *product = NULL;

    out->lift = element->lift;
    SEDGE_TRY_GOTO(status, sedge_allocate(&product, size, sizeof *product));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->deriv, 3 * size, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->weak, 3 * size, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->mass, (int64_t)nodes * points, sizeof(double)));
    for (int j = 0; j < 3; j++) {
        sedge_dense_multiply(product, element->derivative[j], true, element->mass, false, nodes,
                             nodes, nodes);
        for (int64_t i = 0; i < size; i++) {
            out->deriv[3 * i + j] = element->derivative[j][i];
            out->weak[3 * i + j] = product[i];
        }
    }
    for (int k = 0; k < points; k++) {
        for (int i = 0; i < nf; i++) {
            const int n = element->face_node[k / nf * nf + i];
            out->mass[n * points + k] = element->face_mass[i * nf + k % nf];
        }
    }
done:
    sedge_release(product);
    return status;
}

// ---- for items ---------------------------------------------------------------------------------

// A matrix [nodes][columns][group] as [columns][tiles] of rows [node of the tile][group].
static sedge_status upload_rows(sedge_buffer **out, const sedge_elliptic *op, const double *matrix,
                                int columns, int group, int tile)
{
    const int nodes = op->element->nodes;
    const int tiles = (nodes + tile - 1) / tile;
    const size_t size = (size_t)sedge_elliptic_real_bytes(op);
    const int width = elliptic_width((int)size, group * tile);
    const int64_t count = (int64_t)columns * tiles * width;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, size));
    for (int m = 0; m < columns; m++) {
        for (int n = 0; n < nodes; n++) {
            const int64_t place = ((int64_t)m * tiles + n / tile) * width;
            for (int j = 0; j < group; j++) {
                sedge_real_put(list, (int)size, place + (int64_t)(n % tile) * group + j,
                               matrix[((int64_t)n * columns + m) * group + j]);
            }
        }
    }
    return sedge_upload(out, op->device, list, count, size);
}

static sedge_status upload_items(elliptic_tables *out, const sedge_elliptic *op,
                                 const elliptic_config *config, const matrices *m)
{
    const int nodes = op->element->nodes;
    const int points = SEDGE_FACES * op->element->face_nodes;

    SEDGE_TRY(upload_rows(&out->deriv, op, m->deriv, nodes, 3, config->tile));
    SEDGE_TRY(upload_rows(&out->lift, op, m->lift, points, 1, config->tile));
    SEDGE_TRY(upload_rows(&out->weak, op, m->weak, nodes, 3, config->weak_tile));
    return upload_rows(&out->mass, op, m->mass, points, 1, config->weak_tile);
}

// ---- for matrix units --------------------------------------------------------------------------

// A matrix [nodes][parts][columns][group] as right factors of dg_elliptic_matrix.h, [tiles][parts]
// [terms][group][32 lanes] with `columns` filled up to four a term.
typedef struct factors {
    const double *matrix;
    int parts, columns, group;
} factors;

static sedge_status upload_factors(sedge_buffer **out, const sedge_elliptic *op,
                                   const factors *from, int tile)
{
    const int nodes = op->element->nodes;
    const int terms = (from->columns + 3) / 4;
    const int64_t tiles = (int64_t)(nodes + tile - 1) / tile * (tile / 8);
    const int64_t count = tiles * from->parts * terms * from->group * 32;
    const size_t size = (size_t)sedge_elliptic_real_bytes(op);
    const double *at = from->matrix;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, size));
    for (int n = 0; n < nodes; n++) {
        for (int p = 0; p < from->parts; p++) {
            for (int k = 0; k < from->columns; k++) {
                const int64_t term = ((int64_t)n / 8 * from->parts + p) * terms + k / 4;
                for (int j = 0; j < from->group; j++) {
                    sedge_real_put(list, (int)size,
                                   (term * from->group + j) * 32 + n % 8 * (int64_t)4 + k % 4,
                                   *at++);
                }
            }
        }
    }
    return sedge_upload(out, op->device, list, count, size);
}

static sedge_status upload_units(elliptic_tables *out, const sedge_elliptic *op,
                                 const elliptic_config *config, const matrices *m)
{
    const int nodes = op->element->nodes;
    const int nf = op->element->face_nodes;
    const factors deriv = {.matrix = m->deriv, .parts = 1, .columns = nodes, .group = 3};
    const factors weak = {.matrix = m->weak, .parts = 1, .columns = 3 * nodes, .group = 1};
    const factors mass = {.matrix = m->mass, .parts = 1, .columns = SEDGE_FACES * nf, .group = 1};
    double *signed_lift = NULL;

    SEDGE_TRY(upload_factors(&out->deriv, op, &deriv, config->tile));
    SEDGE_TRY(upload_factors(&out->weak, op, &weak, config->weak_tile));
    SEDGE_TRY(upload_factors(&out->mass, op, &mass, config->weak_tile));
    const int64_t size = (int64_t)nodes * SEDGE_FACES * nf;
    SEDGE_TRY(sedge_allocate(&signed_lift, size, sizeof *signed_lift));
    for (int64_t i = 0; i < size; i++)
        signed_lift[i] = i / nf % SEDGE_FACES == 2 ? m->lift[i] : -m->lift[i];
    const factors lift = {.matrix = signed_lift, .parts = SEDGE_FACES, .columns = nf, .group = 1};
    const sedge_status status = upload_factors(&out->lift, op, &lift, config->tile);
    sedge_release(signed_lift);
    return status;
}

// ---- both --------------------------------------------------------------------------------------

sedge_status elliptic_upload_tables(elliptic_tables *out, const sedge_elliptic *op,
                                    const elliptic_config *config)
{
    matrices m = {NULL, NULL, NULL, NULL};
    sedge_status status = make_matrices(&m, op->element);

    if (status == SEDGE_OK) {
        status =
            config->matrix ? upload_units(out, op, config, &m) : upload_items(out, op, config, &m);
    }
    clear_matrices(&m);
    return status;
}

void elliptic_free_tables(elliptic_tables *table)
{
    sedge_buffer_free(table->deriv);
    sedge_buffer_free(table->lift);
    sedge_buffer_free(table->weak);
    sedge_buffer_free(table->mass);
}
