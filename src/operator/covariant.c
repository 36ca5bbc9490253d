#include "operator/covariant.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"
#include "dg/orbits.h"
#include "forms/covariant_products.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/curved_operators.h"

#include <stdbool.h>

#define ROWS         4     // of an operator that an item takes
#define BLOCK_BYTES  76800 // of a block's memory at most, unless one tile needs more
#define THREADS_MOST 256
#define AHEAD_MOST   4 // columns of an operator that a GPU reads beyond the last one, at most
#define SIGNS        SEDGE_ORBIT_POINTS

// ---- the kernel's tables of integers -----------------------------------------------------------

int64_t operator_covariant_table_entries(const sedge_operator *op)
{
    const sedge_element *const element = op->element;

    if (op->curved.cubature == NULL || !sedge_cubature_is_covariant(op->problem)) return 0;
    return (int64_t)SIGNS *
           (element->nodes + SIGNS * (element->nodes - element->face_nodes) + element->face_nodes);
}

sedge_status operator_covariant_fill_table(int16_t *out, const sedge_operator *op,
                                           const int16_t *simplices)
{
    const int width = op->element->face_nodes;
    operator_orbits sets = {0};
    const sedge_status status = operator_orbits_create(&sets, op->element, NULL);

    for (int o = 0; o < sets.nodes.count && status == SEDGE_OK; o++) {
        for (int j = 0; j < SIGNS; j++) *out++ = (int16_t)sets.nodes.member[o][j];
    }
    for (int o = 0; o < sets.lower.count && status == SEDGE_OK; o++) {
        for (int j = 0; j < SIGNS; j++)
            for (int k = 0; k < 4; k++) *out++ = simplices[4 * sets.lower.member[o][j] + k];
    }
    for (int k = 0; k < width && status == SEDGE_OK; k++)
        for (int j = 0; j < SIGNS; j++) *out++ = (int16_t)(sets.faces.member[k][j] % width);
    operator_orbits_clear(&sets);
    return status;
}

// ---- sizes -------------------------------------------------------------------------------------

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int round_up(int number, int unit)
{
    return (number + unit - 1) / unit * unit;
}

// Orbits of points that the block's memory has room for at once: all, but for quadrature rules
// without symmetry on a GPU.
static int choose_chunk(const operator_curved_config *config, const operator_layout *layout,
                        bool host)
{
    const int nodes = SIGNS * config->orbits[1] + layout->nodes_padded;

    if (host || SIGNS * config->orbits[0] <= 2 * nodes) return config->orbits[0];
    return larger(nodes / SIGNS / ROWS, 1) * ROWS;
}

// Words of a SIMD batch's lane in the block's memory (dg_covariant_parts.h). Where threads run one
// after the other products write elsewhere than they read.
static int count_words(const operator_curved_config *config, const operator_layout *layout,
                       const sedge_element *element, int fields, bool host)
{
    const int nodes = SIGNS * config->orbits[1];
    const int summed = SIGNS * (config->orbits[2] + element->face_nodes);
    const int rows = larger(nodes + layout->nodes_padded, SIGNS * config->chunk) + summed +
                     (host ? nodes + summed : 0);
    const int map = 36; // SEDGE_MAP_STRIDE

    return fields * rows + map + SEDGE_FACES * (2 * fields / 3) * (2 * fields / 3);
}

static sedge_status count_orbits(operator_curved_config *config, const sedge_problem *problem,
                                 const sedge_element *element)
{
    sedge_quadrature volume = {0};
    operator_orbits sets = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   sedge_quadrature_tet(&volume, sedge_cubature_degree(problem, element->order)));
    SEDGE_TRY_GOTO(status, operator_orbits_create(&sets, element, &volume));
    config->points = volume.points;
    config->orbits[0] = sets.points.count;
    config->orbits[1] = sets.nodes.count;
    config->orbits[2] = sets.lower.count;
done:
    operator_orbits_clear(&sets);
    sedge_quadrature_clear(&volume);
    return status;
}

// How a GPU's blocks work.
typedef struct block_shape {
    int batches;  // SIMD batches a block, at most
    int threads;  // 0: one for each face node of all batches
    int resident; // blocks of a multiprocessor for which registers are limited
    int ahead;    // columns of an operator that are read ahead, where entries are not constants
    int coded;    // 1: the operators' entries are constants of the code
} block_shape;

// The fastest of those timed on an H200 at orders 2, 3, 4 and 6 in fp32
// (benchmarks/MEASUREMENTS.md, "Curved elements"); all others: registers
// without a limit, four columns ahead.
static block_shape find_shape(const operator_layout *layout, const sedge_device_info *info,
                              int order)
{
    static const block_shape measured[] = {[2] = {16, 128, 6, 1, 1},
                                           [3] = {16, 192, 4, 1, 1},
                                           [4] = {8, 128, 5, 2, 1},
                                           [6] = {8, 128, 3, 4, 0}};
    const int orders = (int)(sizeof measured / sizeof *measured);
    const bool gpu = sedge_traits_of(info->kind)->gpu_rules || info->random_order;

    if (gpu && layout->real_bytes == 4 && order < orders && measured[order].batches > 0)
        return measured[order];
    return (block_shape){.batches = 8, .threads = 0, .resident = 1, .ahead = AHEAD_MOST};
}

// Each thread has at most one item of a product that writes where it reads.
static int count_threads(const operator_curved_config *config, const sedge_element *element,
                         const block_shape *shape)
{
    const int items = SIGNS * (config->block / config->tile);
    const int face = items * (round_up(element->face_nodes, ROWS) / ROWS);
    const int square = items * (round_up(config->orbits[1], ROWS) / ROWS);
    const int least = round_up(larger(face, square), 32);
    const int by_nodes = round_up(config->block * element->face_nodes, 32);
    const int wanted = shape->threads > 0 ? shape->threads : by_nodes;

    return larger(wanted < THREADS_MOST ? wanted : THREADS_MOST, least);
}

sedge_status operator_covariant_choose(operator_curved_config *config,
                                       const operator_layout *layout, const sedge_device_info *info,
                                       const sedge_problem *problem, const sedge_element *element)
{
    const bool host = sedge_traits_of(info->kind)->in_call && !info->random_order;
    const int fields = problem->equation->fields;
    const int64_t available = info->shared_bytes_block;
    const int64_t most = available < BLOCK_BYTES ? available : BLOCK_BYTES;

    SEDGE_TRY(count_orbits(config, problem, element));
    config->rows = ROWS;
    config->tile = 1;
    // Rows of a tile consist of whole packs.
    while (!host && config->tile * fields % layout->pack != 0) config->tile++;
    config->chunk = choose_chunk(config, layout, host);
    config->scratch_words = count_words(config, layout, element, fields, host);
    const int64_t tile_bytes =
        (int64_t)config->tile * config->scratch_words * layout->lanes * layout->real_bytes;
    if (!host && tile_bytes > available) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "curved elements of order %d need %lld bytes of shared memory a block; "
                          "%s has %lld; take a lower order or precision",
                          element->order, (long long)tile_bytes, info->name, (long long)available);
    }
    const block_shape shape = find_shape(layout, info, element->order);
    int tiles = 1;
    while (!host && (tiles + 1) * config->tile <= shape.batches && (tiles + 1) * tile_bytes <= most)
        tiles++;
    config->block = tiles * config->tile;
    config->scratch_bytes = tiles * tile_bytes;
    config->threads = count_threads(config, element, &shape);
    config->resident = shape.resident * config->threads;
    config->ahead = shape.ahead;
    config->coded = shape.coded && config->chunk == config->orbits[0];
    return SEDGE_OK;
}

// ---- operators ---------------------------------------------------------------------------------

// `signs` matrices [rows][columns], columns first, filled with zeros to whole tiles of rows.
static void write_tiles(operator_writer *w, const double *matrices, int signs, int rows,
                        int columns)
{
    for (int c = 0; c < columns; c++) {
        for (int z = 0; z < signs; z++) {
            const double *const column = matrices + (int64_t)z * rows * columns + c;
            for (int r = 0; r < round_up(rows, ROWS); r++)
                operator_write_real(w, r < rows ? column[(int64_t)r * columns] : 0.0);
        }
    }
}

// Places by orbits: of points, nodes, face nodes.
static void write_orbit_places(operator_writer *w, const sedge_operator *op,
                               const operator_orbits *sets)
{
    const sedge_element *const element = op->element;
    const double *const rst[3] = {element->r, element->s, element->t};

    for (int i = 0; i < sets->points.count * SIGNS; i++) {
        const int point = sets->points.member[i / SIGNS][i % SIGNS];
        operator_write_places(w, &op->curved.cubature->volume.place[point], 1);
    }
    for (int i = 0; i < (sets->nodes.count + sets->faces.count) * SIGNS; i++) {
        const int at = i - sets->nodes.count * SIGNS;
        const int node = at < 0 ? sets->nodes.member[i / SIGNS][i % SIGNS]
                                : element->face_node[sets->faces.member[at / SIGNS][at % SIGNS]];
        for (int d = 0; d < 3; d++) operator_write_real(w, rst[d][node]);
    }
}

static sedge_status write_product(void *context, const operator_product *product)
{
    write_tiles(context, product->matrix, product->signs, product->rows, product->columns);
    return SEDGE_OK;
}

// What energies need. `work` has room for [points][nodes].
static void write_rest(operator_writer *w, const sedge_operator *op, double *work)
{
    const sedge_cubature *const cubature = op->curved.cubature;
    const int nodes = op->element->nodes;
    const int points = cubature->volume.points;

    if (op->layout.basis == SEDGE_NODAL) {
        operator_write_turned(w, cubature->values, points, nodes);
    } else {
        sedge_dense_multiply(work, cubature->values, false, op->bernstein->to_nodal, false, points,
                             nodes, nodes);
        operator_write_turned(w, work, points, nodes);
    }
    operator_write_places(w, cubature->volume.place, points);
    for (int q = 0; q < points; q++) operator_write_real(w, cubature->volume.weight[q]);
}

static int64_t count_tiles(int signs, int rows, int columns)
{
    return (int64_t)signs * round_up(rows, ROWS) * columns;
}

static int64_t count_operators(const sedge_operator *op, const operator_orbits *sets)
{
    const int node_orbits = sets->nodes.count;
    const int point_orbits = sets->points.count;
    const int width = op->element->face_nodes;
    const int64_t points = op->curved.cubature->volume.points;
    const int64_t square = count_tiles(SIGNS, node_orbits, node_orbits);
    const int64_t basis =
        op->layout.basis == SEDGE_NODAL ? 0 : square + count_tiles(1, width, width);

    return square + count_tiles(SIGNS, point_orbits, sets->lower.count + width) +
           count_tiles(SIGNS, node_orbits, point_orbits) + basis +
           12 * ((int64_t)point_orbits + node_orbits + width) +
           AHEAD_MOST * count_tiles(SIGNS, larger(point_orbits, node_orbits), 1) +
           points * (op->element->nodes + 4);
}

sedge_status operator_covariant_take_basis(sedge_operator *op)
{
    const int64_t nodes = op->element->nodes;
    const int64_t points = op->curved.cubature->volume.points;
    operator_writer w = {.real_bytes = op->layout.real_bytes};
    operator_orbits sets = {0};
    double *work = NULL;
    int64_t count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, operator_bernstein_need(op));
    SEDGE_TRY_GOTO(status,
                   operator_orbits_create(&sets, op->element, &op->curved.cubature->volume));
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, points * nodes, sizeof *work));
    count = count_operators(op, &sets);
    SEDGE_TRY_GOTO(status, sedge_allocate(&w.list, count, (size_t)op->layout.real_bytes));
    write_orbit_places(&w, op, &sets);
    SEDGE_TRY_GOTO(status,
                   operator_products_list(&sets, op->curved.cubature, op->element, op->bernstein,
                                          op->layout.basis, write_product, &w));
    write_rest(&w, op, work);
    void *const list = w.list;
    w.list = NULL; // sedge_upload releases it
    status =
        sedge_upload(&op->curved.operators, op->device, list, count, (size_t)op->layout.real_bytes);
done:
    operator_orbits_clear(&sets);
    sedge_release(work);
    sedge_release(w.list);
    return status;
}

// Products by orbits, where the state is nodal; what is done at points and at face nodes; 30 words
// of the map, and the states as on straight elements.
void operator_covariant_count(const sedge_operator *op, double *bytes, double *flops)
{
    const operator_curved_config *const config = &op->curved.config;
    const double elements = sedge_mesh_curved(op->mesh);
    const double nodes = op->element->nodes;
    const double fields = op->problem->equation->fields;
    const double width = op->element->face_nodes;
    const double point_orbits = config->orbits[0];
    const double node_orbits = config->orbits[1];
    const double lower_orbits = config->orbits[2];

    *bytes =
        elements *
        ((operator_states(op->problem) * fields * nodes + 30.0) * op->layout.real_bytes + 32.0);
    *flops = elements * (2.0 * SIGNS * fields *
                             (node_orbits * node_orbits + point_orbits * (lower_orbits + width) +
                              node_orbits * point_orbits) +
                         SIGNS * (point_orbits + 2.0 * node_orbits) * (100.0 + 10.0 * fields) +
                         SEDGE_FACES * width * 120.0);
}
