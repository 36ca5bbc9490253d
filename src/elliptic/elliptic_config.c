#include "elliptic_config.h"

#include "dg/cubature.h"
#include "layout/curved_block.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 32 // SIMD batches of a GPU whose geometry lies together

static int round_up(int count, int step)
{
    return (count + step - 1) / step * step;
}

int elliptic_width(int real_bytes, int count)
{
    return round_up(count, 16 / real_bytes);
}

// The rule for GPUs, measured by sedge-bench-poisson on an H200. A row holds item_nodes,
// weak_nodes, item_elements, block_elements and resident. The rows of `items` were measured in
// fp32; a number of fp64 takes two registers, hence half the resident threads.
static sedge_elliptic_options find_rule(const sedge_device_info *info, int order,
                                        sedge_precision precision)
{
    static const int items[SEDGE_ELLIPTIC_ORDER_MAX + 1][5] = {
        [1] = {2, 4, 2, 128, 1152}, [2] = {2, 4, 4, 128, 800}, [3] = {2, 4, 4, 64, 800},
        [4] = {2, 5, 4, 64, 864},   [5] = {2, 4, 4, 32, 896},  [6] = {2, 6, 4, 16, 768},
        [7] = {4, 5, 4, 16, 384},   [8] = {2, 6, 4, 16, 704},
    };
    static const int matrix[SEDGE_ELLIPTIC_ORDER_MAX + 1][5] = {
        [1] = {8, 8, 16, 32, 640},   [2] = {16, 16, 16, 32, 512}, [3] = {8, 8, 16, 16, 672},
        [4] = {8, 8, 16, 16, 640},   [5] = {8, 8, 16, 16, 672},   [6] = {24, 24, 16, 16, 384},
        [7] = {16, 16, 16, 16, 512}, [8] = {8, 16, 16, 16, 672},
    };
    const bool fp64 = precision == SEDGE_FP64;
    const bool units = fp64 && sedge_device_has_matrix_units(info);
    const int *const row = units ? matrix[order] : items[order];

    return (sedge_elliptic_options){.matrix = units,
                                    .item_nodes = row[0],
                                    .weak_nodes = row[1],
                                    .item_elements = row[2],
                                    .block_elements = row[3],
                                    .resident = fp64 && !units ? row[4] / 2 : row[4]};
}

static int pick(int requested, int rule)
{
    return requested > 0 ? requested : rule;
}

// Words from one element to the next in a block's memory: SEDGE_STRIDE of dg_elliptic.h.
static int spread(const elliptic_config *config, int words)
{
    return config->matrix ? (words + 3) / 8 * 8 + 4 : words | 1;
}

// Threads and shared memory of a block, from tiles and batches.
static void size_block(elliptic_config *config, const sedge_element *element)
{
    const int64_t word = (int64_t)config->lanes * config->real_bytes * config->block_batches;
    const int nodes = element->nodes;
    const int points = SEDGE_FACES * element->face_nodes;
    const int fill = config->matrix ? 4 : 1;
    const int u = round_up(nodes, fill);
    const int slopes = round_up(3 * nodes, fill);
    const int rest = points + u > slopes ? points + u : slopes;

    config->tiles = (nodes + config->tile - 1) / config->tile;
    config->weak_tiles = (nodes + config->weak_tile - 1) / config->weak_tile;
    const int most = config->tiles > config->weak_tiles ? config->tiles : config->weak_tiles;
    const int items = config->block_batches / config->item_batches * most;
    config->threads = config->matrix ? 32 * items : round_up(items, 32);
    config->flux_scratch = word * spread(config, points + u);
    config->apply_scratch = word * spread(config, points + rest);
}

// Sizes of the curved elements' kernels. SEDGE_ERR_DEVICE where the device has too little memory.
static sedge_status choose_curved(elliptic_config *config, const sedge_device_info *info,
                                  const sedge_element *element)
{
    sedge_curved_block block;

    SEDGE_TRY(sedge_cubature_sizes(&config->points, &config->face_points, element->order,
                                   SEDGE_CUBATURE_DEGREE(element->order)));
    const int around = SEDGE_FACES * (2 * element->face_nodes + 4 * config->face_points);
    config->curved_chunk = around / 3 < config->points ? around / 3 : config->points;
    config->curved_words = element->nodes + around;
    SEDGE_TRY(sedge_curved_block_choose(
        &block, info, element, (int64_t)config->curved_words * config->lanes * config->real_bytes));
    config->curved_block = block.batches;
    config->curved_threads = block.threads;
    config->curved_scratch = block.bytes;
    return SEDGE_OK;
}

sedge_status elliptic_config_choose(elliptic_config *config, const sedge_device_info *info,
                                    const sedge_element *element, sedge_precision precision,
                                    bool curved, const sedge_elliptic_options *options)
{
    const bool host = sedge_traits_of(info->kind)->in_call && !info->random_order;
    const int64_t most = host ? INT64_MAX : info->shared_bytes_block;
    const sedge_elliptic_options rule = find_rule(info, element->order, precision);
    const int order = element->order;

    memset(config, 0, sizeof *config);
    config->real_bytes = sedge_real_bytes(precision);
    config->lanes = host ? info->vector_bytes / config->real_bytes : 1;
    if (config->lanes < 2 && host) config->lanes = 2;
    config->chunk = host ? 1 : CHUNK;
    config->matrix = options->block_elements > 0 ? options->matrix : rule.matrix;
    config->tile = pick(options->item_nodes, rule.item_nodes);
    config->weak_tile = pick(options->weak_nodes, rule.weak_nodes);
    config->item_batches = host ? 1 : pick(options->item_elements, rule.item_elements);
    config->block_batches = host ? 1 : pick(options->block_elements, rule.block_elements);
    config->resident = pick(options->resident, rule.resident);
    size_block(config, element);
    // A device that is smaller than the rule's.
    while (options->block_elements == 0 &&
           config->block_batches % (2 * config->item_batches) == 0 &&
           (config->apply_scratch > most || config->threads > info->threads_block)) {
        config->block_batches /= 2;
        size_block(config, element);
    }
    config->smooth_block = host || element->nodes > 128 ? 1 : 128 / element->nodes;
    config->coarse_nodes = order > 1 ? order * (order + 1) * (order + 2) / 6 : 0;
    if (config->matrix &&
        (!sedge_device_has_matrix_units(info) || config->real_bytes != 8 || config->tile % 8 != 0 ||
         config->weak_tile % 8 != 0 || config->item_batches % 16 != 0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "matrix units need fp64, a GPU of sm_80 or later, a multiple of 8 nodes "
                          "and of 16 elements; here are fp%d, %s, %d and %d nodes, %d elements",
                          8 * config->real_bytes, info->arch, config->tile, config->weak_tile,
                          config->item_batches);
    }
    if (config->block_batches % config->item_batches != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "blocks of %d elements are no multiple of an item's %d",
                          config->block_batches, config->item_batches);
    }
    if (config->apply_scratch > most || (!host && config->threads > info->threads_block)) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "order %d needs %lld bytes of shared memory and %d threads for blocks of "
                          "%d elements; %s allows %lld and %d",
                          order, (long long)config->apply_scratch, config->threads,
                          config->block_batches, info->name, (long long)most, info->threads_block);
    }
    config->curved = curved;
    return curved ? choose_curved(config, info, element) : SEDGE_OK;
}

sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_config *config)
{
    sedge_source sources[7] = {
        {"codegen/kernels/dg/values.h", NULL},
        {"codegen/kernels/elliptic/dg_elliptic.h", NULL},
        {"codegen/kernels/elliptic/dg_elliptic_level.h", NULL},
    };
    const struct {
        const char *name;
        int value;
    } rows[] = {
        {"FP64", config->real_bytes == 8},
        {"LANES", config->lanes},
        {"ORDER", element->order},
        {"NODES", element->nodes},
        {"FACE_NODES", element->face_nodes},
        {"COARSE_NODES", config->coarse_nodes},
        {"TN", config->tile},
        {"WEAK_TN", config->weak_tile},
        {"EN", config->item_batches},
        {"BLOCK", config->block_batches},
        {"MATRIX", config->matrix},
        {"NODE_TILES", config->tile / 8},
        {"WEAK_NODE_TILES", config->weak_tile / 8},
        {"ROW_TILES", config->item_batches / 16},
        {"CHUNK", config->chunk},
        {"THREADS", config->threads},
        {"RESIDENT", config->resident},
        {"SMOOTH_BLOCK", config->smooth_block},
        {"SLOPES_WIDTH", elliptic_width(config->real_bytes, 3 * config->tile)},
        {"LIFTS_WIDTH", elliptic_width(config->real_bytes, config->tile)},
        {"WEAK_WIDTH", elliptic_width(config->real_bytes, 3 * config->weak_tile)},
        {"MASS_WIDTH", elliptic_width(config->real_bytes, config->weak_tile)},
        {"CURVED_POINTS", config->points},
        {"CURVED_FACE_POINTS", config->face_points},
        {"CURVED_BLOCK", config->curved_block},
        {"CURVED_THREADS", config->curved_threads},
        {"CURVED_CHUNK", config->curved_chunk},
        {"CURVED_SCRATCH", config->curved_words},
    };
    const int constants_count = (int)(sizeof rows / sizeof rows[0]) - (config->curved ? 0 : 6);
    sedge_status status;
    sedge_text *constants = NULL;
    int count = 3;

    if (config->matrix) sources[count++].name = "codegen/kernels/elliptic/dg_elliptic_matrix.h";
    if (config->curved) {
        sources[count++].name = "codegen/kernels/dg/curved/dg_curve.h";
        sources[count++].name = "codegen/kernels/elliptic/dg_elliptic_curved.h";
    }
    (void)snprintf(name, 64, "elliptic-n%d-%s%s", element->order,
                   config->real_bytes == 8 ? "fp64" : "fp32", config->curved ? "-curved" : "");
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    for (int i = 0; i < constants_count; i++) {
        SEDGE_TRY_GOTO(status, sedge_text_add(constants, "#define SEDGE_%s %d\n", rows[i].name,
                                              rows[i].value));
    }
    const sedge_program_options options = {
        .name = name, .constants = sedge_text_get(constants), .sources = sources, .count = count};
    SEDGE_TRY_GOTO(status, sedge_program_write(text, info->kind, &options));
done:
    sedge_text_free(constants);
    return status;
}

sedge_status sedge_elliptic_text(sedge_text *out, char name[64], const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options)
{
    elliptic_config config;

    SEDGE_TRY(elliptic_config_choose(&config, info, element, precision, curved, options));
    return elliptic_text(out, name, info, element, &config);
}
