#include "operator/covariant.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"
#include "dg/orbits.h"
#include "forms/covariant_products.h"
#include "layout/upload.h"
#include "operator/basis.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ROWS         4     // of an operator that an item takes
#define BLOCK_BYTES  76800 // of a block's memory at most, unless one tile needs more
#define THREADS_MOST 256
#define AHEAD_MOST   4 // columns of an operator that a GPU reads beyond the last one, at most
#define SIGNS        SEDGE_ORBIT_POINTS

// The greatest orders at which products of covariant states are code, in fp32 and fp64.
#define CODED_ORDER    6
#define CODED_ORDER_64 4
#define ACROSS_WORDS   192LL // of 24 codes

// ---- lists -------------------------------------------------------------------------------------

void operator_write_real(operator_writer *w, double value)
{
    sedge_real_put(w->list, w->real_bytes, w->at++, value);
}

void operator_write_turned(operator_writer *w, const double *matrix, int rows, int columns)
{
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++) operator_write_real(w, matrix[(int64_t)r * columns + c]);
}

void operator_write_places(operator_writer *w, double (*place)[3], int count)
{
    for (int q = 0; q < count; q++)
        for (int d = 0; d < 3; d++) operator_write_real(w, place[q][d]);
}

// ---- the kernel's tables of integers -----------------------------------------------------------

int64_t operator_covariant_table_entries(const sedge_operator *op)
{
    const sedge_element *const element = op->element;

    if (op->curved.cubature == NULL || !sedge_cubature_is_covariant(op->problem)) return 0;
    return (int64_t)SIGNS * (element->nodes + SIGNS * (element->nodes - element->face_nodes) +
                             element->face_nodes) +
           2LL * SEDGE_FACES * element->nodes;
}

// Of each coefficient alpha the numbers of alpha - e_k, or 0, [vertices k]; then alpha_k.
static void fill_below(int16_t *out, const sedge_bernstein *basis, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const int *const alpha = basis->index[n];
        for (int k = 0; k < SEDGE_FACES; k++, out++) {
            const int below = sedge_bernstein_number(basis->order - 1, alpha[1] - (k == 1),
                                                     alpha[2] - (k == 2), alpha[3] - (k == 3));
            out[0] = (int16_t)(alpha[k] > 0 ? below : 0);
            out[SEDGE_FACES] = (int16_t)alpha[k];
        }
        out += SEDGE_FACES;
    }
}

sedge_status operator_covariant_fill_table(int16_t *out, sedge_operator *op,
                                           const int16_t *simplices)
{
    const int width = op->element->face_nodes;
    operator_orbits sets = {0};
    sedge_status status;

    SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY_GOTO(status, operator_orbits_create(&sets, op->element, NULL));
    for (int o = 0; o < sets.nodes.count; o++)
        for (int j = 0; j < SIGNS; j++) *out++ = (int16_t)sets.nodes.member[o][j];
    for (int o = 0; o < sets.lower.count; o++) {
        for (int j = 0; j < SIGNS; j++)
            for (int k = 0; k < 4; k++) *out++ = simplices[4 * sets.lower.member[o][j] + k];
    }
    for (int k = 0; k < width; k++)
        for (int j = 0; j < SIGNS; j++) *out++ = (int16_t)(sets.faces.member[k][j] % width);
    fill_below(out, op->bernstein, op->element->nodes);
done:
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
    int tile;     // of covariant states: batches of an item of a product, where entries are not
                  // constants
    int twos;     // of covariant states: as in operator_curved_config
} block_shape;

// The fastest of those timed on an H200 at orders 2, 3, 4 and 6 in fp32
// (benchmarks/MEASUREMENTS.md, "Curved elements"); all others: registers
// without a limit, four columns ahead.
static block_shape find_shape(const operator_layout *layout, const sedge_device_info *info,
                              int order)
{
    static const block_shape measured[] = {[2] = {16, 128, 6, .ahead = 1, .coded = 1},
                                           [3] = {16, 192, 4, .ahead = 1, .coded = 1},
                                           [4] = {8, 128, 5, .ahead = 2, .coded = 1},
                                           [6] = {8, 128, 3, .ahead = 4}};
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

// ---- sizes of covariant states ------------------------------------------------------------------

// The fastest of those timed on an H200 (benchmarks/MEASUREMENTS.md, "Other shapes by the tuner"),
// or as fast as that within the 3 % that the tuner asks of another; so are the shapes of orders
// that are not listed, up to 8. The tuner compares others with it.
static block_shape find_state_shape(const operator_layout *layout, int order)
{
    static const block_shape measured[2][9] = {{[1] = {16, 128, 6, .twos = 4},
                                                [2] = {16, 128, 8, .twos = 4},
                                                [3] = {16, 256, 4, .twos = 4},
                                                [4] = {16, 256, 4, .twos = 4},
                                                [5] = {10, 256, 3, .twos = 5},
                                                [6] = {10, 256, 3, .twos = 5},
                                                [8] = {4, 0, 4, .ahead = 4, .tile = 2, .twos = 4}},
                                               {[1] = {16, 128, 4, .twos = 4},
                                                [2] = {16, 128, 4, .twos = 4},
                                                [4] = {8, 128, 3, .twos = 5},
                                                [6] = {4, 0, 3, .ahead = 2, .tile = 1, .twos = 4},
                                                [8] = {2, 0, 3, .ahead = 2, .tile = 1, .twos = 4}}};
    static const block_shape by_tables[2] = {{8, 0, 2, .ahead = AHEAD_MOST, .tile = 2, .twos = 4},
                                             {8, 0, 2, .ahead = 2, .tile = 1, .twos = 4}};
    const int orders = (int)(sizeof measured[0] / sizeof *measured[0]);
    const bool wide = layout->real_bytes == 8;
    const bool coded = order <= (wide ? CODED_ORDER_64 : CODED_ORDER);
    block_shape shape = coded ? (block_shape){8, 128, 4, .twos = 4} : by_tables[wide];

    if (order < orders && measured[wide][order].batches > 0) shape = measured[wide][order];
    shape.coded = coded;
    return shape;
}

static bool is_host_form(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->in_call && !info->random_order;
}

// Whether products of covariant states are code: then the operators are not among the numbers.
static bool is_state_coded(const sedge_device_info *info, const operator_layout *layout, int order)
{
    return !is_host_form(info) && find_state_shape(layout, order).coded;
}

// Elements that neighbouring items work on begin in different banks.
static int spread(int words, bool host)
{
    while (!host && words % 32 != 6) words += 2;
    return words;
}

static int count_state_words(operator_curved_config *config, const operator_layout *layout,
                             const sedge_element *element, int fields, bool host)
{
    const int nodes = config->orbits[1];
    const int spare = nodes + (element->nodes + SIGNS - 1) / SIGNS;
    const int own = layout->nodes_padded * fields;
    const int jump = 2 * fields / 3;
    const bool nodal = layout->basis == SEDGE_NODAL;
    const bool chunks = config->chunk < config->orbits[0];
    const int summed = config->orbits[2] + element->face_nodes + (nodal || chunks ? nodes : 0);

    // There is room for coefficients of orders N - 1 and N at once, which predictions keep there.
    config->column_rows = larger(summed, chunks ? 0 : spare);
    config->in_place = !host && !chunks;
    if (config->in_place) config->column_rows = larger(config->column_rows, config->orbits[0]);
    config->column_stride = spread(SIGNS * fields * config->column_rows, host);
    config->target_rows = config->column_rows;
    config->target_stride = config->column_stride;
    if (!config->in_place) {
        config->target_rows = larger(config->chunk, nodal && !chunks ? nodes : 0);
        config->target_stride = spread(SIGNS * fields * config->target_rows, host);
    }
    return config->column_stride + (config->in_place ? 0 : config->target_stride) +
           (host ? own : (own / layout->pack | 1) * layout->pack) + 36 +
           SEDGE_FACES * (jump * jump + 8);
}

// Bytes of a SIMD batch in the block's memory. Products find all points at once, or as many as fit
// where all do not.
static int64_t choose_state_chunk(operator_curved_config *config, const operator_layout *layout,
                                  const sedge_element *element, int fields, int64_t most, bool host)
{
    const int word_bytes = layout->lanes * layout->real_bytes;

    config->chunk = config->coded ? config->orbits[0] : choose_chunk(config, layout, host);
    config->scratch_words = count_state_words(config, layout, element, fields, host);
    while (!host && !config->coded && config->chunk > ROWS &&
           (int64_t)config->scratch_words * word_bytes > most) {
        config->chunk = (config->chunk - 1) / ROWS * ROWS;
        config->scratch_words = count_state_words(config, layout, element, fields, host);
    }
    return (int64_t)config->scratch_words * word_bytes;
}

// Items of the largest product of a tile of batches, where products are not code.
static int count_state_items(const operator_curved_config *config)
{
    const int rows = larger(config->chunk, config->orbits[1]);

    return SIGNS * (round_up(rows, ROWS) / ROWS);
}

// A thread for each item. Where items are more than THREADS_MOST, as few threads as need the same
// number of rounds.
static int count_state_threads(const operator_curved_config *config)
{
    const int items = count_state_items(config) * (config->block / config->tile);
    const int rounds = (items + THREADS_MOST - 1) / THREADS_MOST;

    return round_up((items + rounds - 1) / rounds, 32);
}

// The configuration of a shape, of fewer batches where not all fit.
static sedge_status choose_state(operator_curved_config *config, block_shape shape,
                                 const operator_layout *layout, const sedge_device_info *info,
                                 const sedge_problem *problem, const sedge_element *element)
{
    const bool host = is_host_form(info);
    const int64_t available = info->shared_bytes_block;
    const int64_t most = available < BLOCK_BYTES ? available : BLOCK_BYTES;

    config->covariant = 1;
    config->coded = !host && shape.coded;
    config->rows = ROWS;
    const int64_t bytes =
        choose_state_chunk(config, layout, element, problem->equation->fields, most, host);
    if (!host && bytes > available) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "curved elements of order %d need %lld bytes of shared memory a block; "
                          "%s has %lld; take a lower order or precision",
                          element->order, (long long)bytes, info->name, (long long)available);
    }
    config->tile = !host && !shape.coded && shape.tile * bytes <= most ? shape.tile : 1;
    config->block = config->tile;
    const int tiles_most = config->coded ? shape.batches : THREADS_MOST / count_state_items(config);
    while (!host && config->block + config->tile <= shape.batches &&
           config->block + config->tile <= tiles_most * config->tile &&
           (config->block + config->tile) * bytes <= most)
        config->block += config->tile;
    config->scratch_bytes = config->block * bytes;
    config->threads = shape.threads > 0 ? shape.threads : count_state_threads(config);
    // In fp64 many poles of a term need more registers than the fastest limit leaves.
    const bool wide = layout->real_bytes == 8 && problem->term_count > 0 && shape.resident > 2;
    config->resident = (wide ? 2 : shape.resident) * config->threads;
    config->ahead = larger(shape.ahead, 1);
    config->twos = shape.twos;
    return SEDGE_OK;
}

sedge_status operator_covariant_choose(operator_curved_config *config,
                                       const operator_layout *layout, const sedge_device_info *info,
                                       const sedge_problem *problem, const sedge_element *element)
{
    const bool host = is_host_form(info);
    const int fields = problem->equation->fields;
    const int64_t available = info->shared_bytes_block;
    const int64_t most = available < BLOCK_BYTES ? available : BLOCK_BYTES;

    SEDGE_TRY(count_orbits(config, problem, element));
    if (sedge_cubature_state_is_covariant(problem)) {
        return choose_state(config, find_state_shape(layout, element->order), layout, info, problem,
                            element);
    }
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

// ---- candidates of the tuner -------------------------------------------------------------------

// Shapes beside the rule's, where products are code; the pairs of words are the rule's. A warp
// takes a sign pattern of 32 columns, six of an element: 5, 10, 16 and 21 batches fill 1 to 4
// warps.
static const struct {
    int batches, threads, resident;
} coded_shapes[] = {{32, 128, 8}, {32, 128, 5}, {32, 256, 4}, {21, 128, 8}, {21, 256, 4},
                    {16, 64, 16}, {16, 128, 8}, {16, 128, 6}, {16, 128, 4}, {16, 192, 5},
                    {16, 256, 4}, {16, 256, 3}, {16, 256, 2}, {12, 192, 5}, {10, 256, 4},
                    {10, 256, 3}, {10, 256, 2}, {10, 128, 6}, {10, 128, 4}, {10, 128, 3},
                    {10, 128, 2}, {8, 128, 8},  {8, 128, 6},  {8, 128, 4},  {8, 128, 3},
                    {8, 128, 2},  {5, 128, 8},  {5, 128, 6},  {5, 128, 4},  {5, 128, 3},
                    {5, 128, 2},  {16, 128, 10}};
// Where they are not, all of these.
static const int table_batches[] = {8, 6, 4, 3, 2, 1};
#define TABLE_RESIDENT 4

// The list as it grows; it has room for all shapes.
typedef struct state_list {
    operator_curved_config *config;
    int count;
    operator_curved_config counted; // what no shape changes
    const operator_layout *layout;
    const sedge_device_info *info;
    const sedge_problem *problem;
    const sedge_element *element;
} state_list;

static double find_ratio(int a, int b)
{
    return fabs(log2((double)a / b));
}

// How far a configuration is from the rule's.
static double find_distance(const operator_curved_config *config,
                            const operator_curved_config *rule)
{
    return find_ratio(config->block, rule->block) + find_ratio(config->threads, rule->threads) +
           find_ratio(config->resident, rule->resident) + find_ratio(config->twos, rule->twos) +
           find_ratio(config->ahead, rule->ahead) + find_ratio(config->tile, rule->tile);
}

// Add a shape if it is possible and new.
static sedge_status add_shape(state_list *list, block_shape shape)
{
    operator_curved_config *const config = &list->config[list->count];

    *config = list->counted;
    SEDGE_TRY(choose_state(config, shape, list->layout, list->info, list->problem, list->element));
    if (config->threads > list->info->threads_block && list->count > 0) return SEDGE_OK;
    // Terms take registers, too, and candidates are timed without them.
    if (list->count > 0 && operator_terms_staged(list->problem) &&
        config->resident > list->config[0].resident)
        return SEDGE_OK;
    for (int i = 0; i < list->count; i++)
        if (find_distance(&list->config[i], config) == 0.0) return SEDGE_OK;
    list->count++;
    return SEDGE_OK;
}

static sedge_status list_shapes(state_list *list, block_shape rule)
{
    SEDGE_TRY(add_shape(list, rule));
    if (is_host_form(list->info)) return SEDGE_OK; // it has no threads
    for (int twos = 2; twos <= 6; twos++) {
        block_shape shape = rule;
        shape.twos = twos;
        SEDGE_TRY(add_shape(list, shape));
    }
    for (size_t i = 0; i < sizeof coded_shapes / sizeof *coded_shapes && rule.coded; i++) {
        block_shape shape = rule;
        shape.batches = coded_shapes[i].batches;
        shape.threads = coded_shapes[i].threads;
        shape.resident = coded_shapes[i].resident;
        SEDGE_TRY(add_shape(list, shape));
    }
    for (size_t i = 0; i < sizeof table_batches / sizeof *table_batches && !rule.coded; i++) {
        for (int k = 0; k < 4 * TABLE_RESIDENT; k++) {
            block_shape shape = rule;
            shape.batches = table_batches[i];
            shape.resident = k / 4 + 1;
            shape.tile = k % 2 + 1;
            shape.ahead = k % 4 / 2 * 2 + 2;
            SEDGE_TRY(add_shape(list, shape));
        }
    }
    return SEDGE_OK;
}

// The nearest ones, by insertion; among equals those that were added first.
static int take_nearest(operator_curved_config *out, const state_list *list)
{
    int count = 0;

    for (int i = 0; i < list->count; i++) {
        const double distance = find_distance(&list->config[i], &list->config[0]);
        int at = count < SEDGE_FAMILY_CANDIDATES ? count++ : SEDGE_FAMILY_CANDIDATES;
        while (at > 0 && distance < find_distance(&out[at - 1], &list->config[0])) {
            if (at < SEDGE_FAMILY_CANDIDATES) out[at] = out[at - 1];
            at--;
        }
        if (at < SEDGE_FAMILY_CANDIDATES) out[at] = list->config[i];
    }
    return count;
}

sedge_status operator_covariant_list(operator_curved_config out[SEDGE_FAMILY_CANDIDATES],
                                     int *count, const operator_layout *layout,
                                     const sedge_device_info *info, const sedge_problem *problem,
                                     const sedge_element *element)
{
    state_list list = {.layout = layout, .info = info, .problem = problem, .element = element};
    const int most = 8 + (int)(sizeof coded_shapes / sizeof *coded_shapes) +
                     (int)(sizeof table_batches / sizeof *table_batches) * 4 * TABLE_RESIDENT;

    memset(&list.counted, 0, sizeof list.counted);
    SEDGE_TRY(count_orbits(&list.counted, problem, element));
    SEDGE_TRY(sedge_allocate(&list.config, most, sizeof *list.config));
    const sedge_status status = list_shapes(&list, find_state_shape(layout, element->order));
    if (status == SEDGE_OK) *count = take_nearest(out, &list);
    sedge_release(list.config);
    return status;
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

// Integers, since the reference elements' faces are images of each other.
void operator_covariant_across(double across[2][3], const sedge_element *element, int code)
{
    const double *const rst[3] = {element->r, element->s, element->t};
    const int width = element->face_nodes;
    const int corner[3] = {0, element->order, width - 1};
    int at[3];

    for (int v = 0; v < 3; v++) {
        const int node = element->permuted[code % 6 * width + corner[v]];
        at[v] = element->face_node[code / 6 * width + node];
    }
    for (int a = 0; a < 2; a++)
        for (int j = 0; j < 3; j++) across[a][j] = round(0.5 * (rst[j][at[a + 1]] - rst[j][at[0]]));
}

static void write_across(operator_writer *w, const sedge_element *element)
{
    while (w->at % 4 != 0) operator_write_real(w, 0.0);
    for (int code = 0; code < 24; code++) {
        double across[2][3];
        operator_covariant_across(across, element, code);
        for (int i = 0; i < 8; i++) operator_write_real(w, i < 6 ? across[i / 3][i % 3] : 0.0);
    }
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
    const int64_t predictions = operator_products_predict(op->problem, op->layout.basis)
                                    ? count_tiles(SIGNS, point_orbits, sets->lower.count) +
                                          count_tiles(SIGNS, node_orbits, point_orbits)
                                    : 0;

    return square + count_tiles(SIGNS, point_orbits, sets->lower.count + width) +
           count_tiles(SIGNS, node_orbits, point_orbits) + basis +
           12 * ((int64_t)point_orbits + node_orbits + width) + predictions +
           AHEAD_MOST * count_tiles(SIGNS, larger(point_orbits, node_orbits), 1) +
           points * (op->element->nodes + 4) + 4 + ACROSS_WORDS;
}

sedge_status operator_covariant_take_basis(sedge_operator *op)
{
    const int64_t nodes = op->element->nodes;
    const int64_t points = op->curved.cubature->volume.points;
    const bool covariant = sedge_cubature_state_is_covariant(op->problem);
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
    const bool coded = covariant && is_state_coded(sedge_device_get_info(op->device), &op->layout,
                                                   op->element->order);
    if (!coded) {
        SEDGE_TRY_GOTO(status, operator_products_list(&sets, op->curved.cubature, op->element,
                                                      op->bernstein, op->problem, op->layout.basis,
                                                      write_product, &w));
    }
    write_rest(&w, op, work);
    if (covariant) write_across(&w, op->element);
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

// What is left of the multiply-adds of products that are code, by even and odd parts (dg/orbits.h):
// 0.72, 0.63, 0.61 and 0.55 at orders 2, 3, 4 and 6.
#define EVEN_AND_ODD 0.6

// Products by orbits, what is done at points and at face nodes; 30 words of the map, and the states
// as on straight elements. Of states that are not covariant: those of nodal values.
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
    const double whole = point_orbits * (lower_orbits + width) + node_orbits * point_orbits +
                         (config->covariant ? 0.0 : node_orbits * node_orbits);
    const double products = config->coded ? EVEN_AND_ODD * whole : whole;
    const double at_nodes = config->covariant ? 0.0 : 2.0 * node_orbits;
    const double at_faces = config->covariant ? 48.0 : 120.0;

    *bytes =
        elements *
        ((operator_states(op->problem) * fields * nodes + 30.0) * op->layout.real_bytes + 32.0);
    *flops = elements * (2.0 * SIGNS * fields * products +
                         SIGNS * (point_orbits + at_nodes) * (100.0 + 10.0 * fields) +
                         SEDGE_FACES * width * at_faces);
}
