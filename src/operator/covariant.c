#include "operator/covariant.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"
#include "layout/upload.h"
#include "operator/curved_operators.h"

#include <stdbool.h>

#define MAP_WORDS    32    // SEDGE_MAP_STRIDE of the kernel
#define BLOCK_ITEMS  64    // a block has about as many
#define BLOCK_BYTES  49152 // and at most so much memory, unless one tile needs more
#define THREADS_MOST 1024
#define ITEM_BYTES   64 // of an item's sums: measured, more are slower (benchmarks/MEASUREMENTS.md)

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Words of a SIMD batch's lane in the block's memory (dg_covariant.h).
static int count_words(const sedge_element *element, int fields, int chunk)
{
    const int64_t nodes = element->nodes;
    const int64_t around = (int64_t)SEDGE_FACES * element->face_nodes;

    return (int)(larger(nodes * fields, around * (2 * fields / 3)) +
                 larger(around, chunk) * fields + nodes * fields + MAP_WORDS);
}

sedge_status operator_covariant_choose(operator_curved_config *config,
                                       const operator_layout *layout, const sedge_device_info *info,
                                       const sedge_problem *problem, const sedge_element *element)
{
    const bool host = sedge_traits_of(info->kind)->in_call && !info->random_order;
    const int fields = problem->equation->fields;
    const int nodes = element->nodes;
    const int around = SEDGE_FACES * element->face_nodes;
    const int64_t available = info->shared_bytes_block;
    const int64_t most = available < BLOCK_BYTES ? available : BLOCK_BYTES;

    SEDGE_TRY(sedge_cubature_sizes(&config->points, &config->face_points, element->order,
                                   sedge_cubature_degree(problem, element->order)));
    const int chunks = (config->points + around - 1) / around;
    config->chunk = (config->points + chunks - 1) / chunks;
    config->scratch_words = count_words(element, fields, config->chunk);
    const int64_t bytes = (int64_t)config->scratch_words * layout->lanes * layout->real_bytes;
    // On a GPU an item's sums fill its registers, and rows of a tile consist of whole packs.
    config->tile = 1;
    while (!host && (config->tile * fields % layout->pack != 0 ||
                     2 * config->tile * fields * layout->real_bytes <= ITEM_BYTES))
        config->tile++;
    const int64_t tile_bytes = config->tile * bytes;
    if (!host && tile_bytes > available) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "curved elements of order %d need %lld bytes of shared memory a block; "
                          "%s has %lld; take a lower order or precision",
                          element->order, (long long)tile_bytes, info->name, (long long)available);
    }
    int tiles = 1;
    while (!host && tiles * nodes < BLOCK_ITEMS && (tiles + 1) * tile_bytes <= most) tiles++;
    config->block = tiles * config->tile;
    config->scratch_bytes = tiles * tile_bytes;
    config->threads = tiles * (int)larger(nodes, config->chunk);
    config->threads = (config->threads + 31) / 32 * 32;
    if (config->threads > THREADS_MOST) config->threads = THREADS_MOST;
    return SEDGE_OK;
}

// In the order of dg_covariant.h. `work` has room for a matrix [points][3 nodes] and for
// one [points][4 face nodes].
static void write_operators(operator_writer *w, const sedge_operator *op, double *work)
{
    const sedge_cubature *const cubature = op->curved.cubature;
    const sedge_element *const element = op->element;
    const sedge_bernstein *const basis = op->bernstein;
    const bool nodal = op->layout.basis == SEDGE_NODAL;
    const int nodes = element->nodes;
    const int around = SEDGE_FACES * element->face_nodes;
    const int points = cubature->volume.points;
    const int64_t size = (int64_t)points * nodes;

    for (int j = 0; j < 3; j++) {
        sedge_dense_multiply(work + j * size, cubature->values, false, element->derivative[j],
                             false, points, nodes, nodes);
    }
    for (int n = 0; n < nodes; n++) {
        for (int j = 0; j < 3; j++) {
            for (int q = 0; q < points; q++)
                operator_write_real(w, work[j * size + (int64_t)q * nodes + n]);
        }
    }
    sedge_dense_multiply(work, cubature->values, false, element->lift, false, points, nodes,
                         around);
    operator_write_turned(w, work, points, around);
    operator_write_turned(w, cubature->project, nodes, points);
    if (!nodal) {
        operator_write_turned(w, basis->to_nodal, nodes, nodes);
        operator_write_turned(w, basis->from_nodal, nodes, nodes);
        operator_write_turned(w, basis->face_to_nodal, element->face_nodes, element->face_nodes);
    }
    operator_write_places(w, cubature->volume.place, points);
    for (int n = 0; n < nodes; n++) {
        operator_write_real(w, element->r[n]);
        operator_write_real(w, element->s[n]);
        operator_write_real(w, element->t[n]);
    }
    if (nodal) {
        operator_write_turned(w, cubature->values, points, nodes);
    } else {
        sedge_dense_multiply(work, cubature->values, false, basis->to_nodal, false, points, nodes,
                             nodes);
        operator_write_turned(w, work, points, nodes);
    }
    for (int q = 0; q < points; q++) operator_write_real(w, cubature->volume.weight[q]);
}

sedge_status operator_covariant_take_basis(sedge_operator *op)
{
    const int64_t nodes = op->element->nodes;
    const int64_t width = op->element->face_nodes;
    const int64_t points = op->curved.cubature->volume.points;
    const int64_t turns = op->layout.basis == SEDGE_NODAL ? 0 : 2 * nodes * nodes + width * width;
    const int64_t count = points * (5 * nodes + SEDGE_FACES * width + 4) + turns + 3 * nodes;
    operator_writer w = {.real_bytes = op->layout.real_bytes};
    double *work = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&work, points * larger(3 * nodes, SEDGE_FACES * width),
                                          sizeof *work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&w.list, count, (size_t)op->layout.real_bytes));
    write_operators(&w, op, work);
    sedge_release(work);
    return sedge_upload(&op->curved.operators, op->device, w.list, count,
                        (size_t)op->layout.real_bytes);
done:
    sedge_release(work);
    sedge_release(w.list);
    return status;
}

// Products with the operators, where the state is nodal; what is done at points and at face nodes;
// 30 words of the map, and the states as on straight elements.
void operator_covariant_count(const sedge_operator *op, double *bytes, double *flops)
{
    const double elements = sedge_mesh_curved(op->mesh);
    const double nodes = op->element->nodes;
    const double fields = op->problem->equation->fields;
    const double points = op->curved.config.points;
    const double around = (double)SEDGE_FACES * op->element->face_nodes;

    *bytes = elements * ((4.0 * fields * nodes + 30.0) * op->layout.real_bytes + 32.0);
    *flops = elements * (fields * (points * (6.0 * nodes + 4.0 / 3.0 * around)) +
                         (points + 2.0 * nodes) * (100.0 + 10.0 * fields) +
                         around * (150.0 + op->problem->equation->face_flops));
}
