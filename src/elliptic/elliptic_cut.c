#include "elliptic_cut.h"

#include "dg/cubature.h"
#include "layout/curved_block.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 32 // values of a GPU whose geometry lies together

static int round_up(int count, int step)
{
    return (count + step - 1) / step * step;
}

int elliptic_width(int real_bytes, int count)
{
    return round_up(count, 16 / real_bytes);
}

// How a GPU is to work by rule, as sedge-bench-poisson found it on an H200. Nodes an item, where it
// integrates, values an item, a block, threads that registers are to suffice for. Items' rows were
// found in fp32; a number of fp64 takes two registers.
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

static int pick(int wanted, int rule)
{
    return wanted > 0 ? wanted : rule;
}

// Words from one element to the next in a block's memory: SEDGE_STRIDE of dg_elliptic.h.
static int spread(const elliptic_cut *cut, int words)
{
    return cut->matrix ? (words + 3) / 8 * 8 + 4 : words | 1;
}

// What follows of tiles and values: threads and bytes of a block.
static void size_block(elliptic_cut *cut, const sedge_element *element)
{
    const int64_t value = (int64_t)cut->lanes * cut->real_bytes * cut->block;
    const int nodes = element->nodes;
    const int points = SEDGE_FACES * element->face_nodes;
    const int fill = cut->matrix ? 4 : 1;
    const int u = round_up(nodes, fill);
    const int slopes = round_up(3 * nodes, fill);
    const int rest = points + u > slopes ? points + u : slopes;

    cut->tiles = (nodes + cut->tile - 1) / cut->tile;
    cut->weak_tiles = (nodes + cut->weak_tile - 1) / cut->weak_tile;
    const int most = cut->tiles > cut->weak_tiles ? cut->tiles : cut->weak_tiles;
    const int items = cut->block / cut->together * most;
    cut->threads = cut->matrix ? 32 * items : round_up(items, 32);
    cut->flux_scratch = value * spread(cut, points + u);
    cut->apply_scratch = value * spread(cut, points + rest);
}

// Sizes of the curved elements' kernels. SEDGE_ERR_DEVICE where the device has too little memory.
static sedge_status choose_curved(elliptic_cut *cut, const sedge_device_info *info,
                                  const sedge_element *element)
{
    sedge_curved_block block;

    SEDGE_TRY(sedge_cubature_sizes(&cut->points, &cut->face_points, element->order));
    const int around = SEDGE_FACES * (2 * element->face_nodes + 4 * cut->face_points);
    cut->curved_chunk = around / 3 < cut->points ? around / 3 : cut->points;
    cut->curved_words = element->nodes + around;
    SEDGE_TRY(sedge_curved_block_choose(&block, info, element,
                                        (int64_t)cut->curved_words * cut->lanes * cut->real_bytes));
    cut->curved_block = block.batches;
    cut->curved_threads = block.threads;
    cut->curved_scratch = block.bytes;
    return SEDGE_OK;
}

sedge_status elliptic_cut_choose(elliptic_cut *cut, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options)
{
    const bool host = sedge_traits_of(info->kind)->in_call && !info->random_order;
    const int64_t most = host ? INT64_MAX : info->shared_bytes_block;
    const sedge_elliptic_options rule = find_rule(info, element->order, precision);
    const int order = element->order;

    memset(cut, 0, sizeof *cut);
    cut->real_bytes = precision == SEDGE_FP64 ? 8 : 4;
    cut->lanes = host ? info->vector_bytes / cut->real_bytes : 1;
    if (cut->lanes < 2 && host) cut->lanes = 2;
    cut->chunk = host ? 1 : CHUNK;
    cut->matrix = options->block_elements > 0 ? options->matrix : rule.matrix;
    cut->tile = pick(options->item_nodes, rule.item_nodes);
    cut->weak_tile = pick(options->weak_nodes, rule.weak_nodes);
    cut->together = host ? 1 : pick(options->item_elements, rule.item_elements);
    cut->block = host ? 1 : pick(options->block_elements, rule.block_elements);
    cut->resident = pick(options->resident, rule.resident);
    size_block(cut, element);
    // A device that is smaller than the rule's.
    while (options->block_elements == 0 && cut->block % (2 * cut->together) == 0 &&
           (cut->apply_scratch > most || cut->threads > info->threads_block)) {
        cut->block /= 2;
        size_block(cut, element);
    }
    cut->smooth_block = host || element->nodes > 128 ? 1 : 128 / element->nodes;
    cut->coarse_nodes = order > 1 ? order * (order + 1) * (order + 2) / 6 : 0;
    if (cut->matrix && (!sedge_device_has_matrix_units(info) || cut->real_bytes != 8 ||
                        cut->tile % 8 != 0 || cut->weak_tile % 8 != 0 || cut->together % 16 != 0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "matrix units want fp64, a GPU of sm_80 or later, a multiple of 8 nodes "
                          "and of 16 elements; here are fp%d, %s, %d and %d nodes, %d elements",
                          8 * cut->real_bytes, info->arch, cut->tile, cut->weak_tile,
                          cut->together);
    }
    if (cut->block % cut->together != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "blocks of %d elements are no multiple of an item's %d",
                          cut->block, cut->together);
    }
    if (cut->apply_scratch > most || (!host && cut->threads > info->threads_block)) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "order %d needs %lld bytes of shared memory and %d threads for blocks of "
                          "%d elements; %s allows %lld and %d",
                          order, (long long)cut->apply_scratch, cut->threads, cut->block,
                          info->name, (long long)most, info->threads_block);
    }
    cut->curved = curved;
    return curved ? choose_curved(cut, info, element) : SEDGE_OK;
}

sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_cut *cut)
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
        {"FP64", cut->real_bytes == 8},
        {"LANES", cut->lanes},
        {"ORDER", element->order},
        {"NODES", element->nodes},
        {"FACE_NODES", element->face_nodes},
        {"COARSE_NODES", cut->coarse_nodes},
        {"TN", cut->tile},
        {"WEAK_TN", cut->weak_tile},
        {"EN", cut->together},
        {"BLOCK", cut->block},
        {"MATRIX", cut->matrix},
        {"NODE_TILES", cut->tile / 8},
        {"WEAK_NODE_TILES", cut->weak_tile / 8},
        {"ROW_TILES", cut->together / 16},
        {"CHUNK", cut->chunk},
        {"THREADS", cut->threads},
        {"RESIDENT", cut->resident},
        {"SMOOTH_BLOCK", cut->smooth_block},
        {"SLOPES_WIDTH", elliptic_width(cut->real_bytes, 3 * cut->tile)},
        {"LIFTS_WIDTH", elliptic_width(cut->real_bytes, cut->tile)},
        {"WEAK_WIDTH", elliptic_width(cut->real_bytes, 3 * cut->weak_tile)},
        {"MASS_WIDTH", elliptic_width(cut->real_bytes, cut->weak_tile)},
        {"CURVED_POINTS", cut->points},
        {"CURVED_FACE_POINTS", cut->face_points},
        {"CURVED_BLOCK", cut->curved_block},
        {"CURVED_THREADS", cut->curved_threads},
        {"CURVED_CHUNK", cut->curved_chunk},
        {"CURVED_SCRATCH", cut->curved_words},
    };
    const int constants_count = (int)(sizeof rows / sizeof rows[0]) - (cut->curved ? 0 : 6);
    sedge_status status;
    sedge_text *constants = NULL;
    int count = 3;

    if (cut->matrix) sources[count++].name = "codegen/kernels/elliptic/dg_elliptic_matrix.h";
    if (cut->curved) {
        sources[count++].name = "codegen/kernels/dg/dg_curve.h";
        sources[count++].name = "codegen/kernels/elliptic/dg_elliptic_curved.h";
    }
    (void)snprintf(name, 64, "elliptic-n%d-%s%s", element->order,
                   cut->real_bytes == 8 ? "fp64" : "fp32", cut->curved ? "-curved" : "");
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

sedge_status sedge_elliptic_text(sedge_text *out, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options)
{
    elliptic_cut cut;
    char name[64];

    SEDGE_TRY(elliptic_cut_choose(&cut, info, element, precision, curved, options));
    return elliptic_text(out, name, info, element, &cut);
}
