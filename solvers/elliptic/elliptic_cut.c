#include "elliptic_internal.h"

#include <stdio.h>
#include <string.h>

#define THREADS_WANTED 256
#define SCRATCH_WANTED 102400 // bytes of a block: two of them in a multiprocessor

static int round_up(int count, int step)
{
    return (count + step - 1) / step * step;
}

int elliptic_slopes_width(const elliptic_cut *cut)
{
    return round_up(3 * cut->tile, 16 / cut->real_bytes);
}

int elliptic_lifts_width(const elliptic_cut *cut)
{
    return round_up(2 * cut->tile, 16 / cut->real_bytes);
}

// Between 3 and 5 nodes a tile: the number that wastes least at the end of the nodes.
static int choose_tile(int nodes)
{
    int best = 5;

    for (int n = 4; n >= 3; n--)
        if (round_up(nodes, n) < round_up(nodes, best)) best = n;
    return best;
}

static void size_scratch(elliptic_cut *cut, const sedge_element *element)
{
    const int64_t value = (int64_t)cut->lanes * cut->real_bytes * cut->block;
    const int64_t words = (element->nodes | 1) + ((3 * element->nodes) | 1);

    cut->flux_scratch = value * words;
    cut->apply_scratch = value * (words + ((8 * element->face_nodes) | 1));
}

sedge_status elliptic_cut_choose(elliptic_cut *cut, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 const sedge_elliptic_options *options)
{
    const bool host = info->kind == SEDGE_DEVICE_HOST && !info->random_order;
    const int64_t most = host ? INT64_MAX : info->shared_bytes_block;

    memset(cut, 0, sizeof *cut);
    cut->real_bytes = precision == SEDGE_FP64 ? 8 : 4;
    cut->lanes = host ? info->vector_bytes / cut->real_bytes : 1;
    if (cut->lanes < 2 && host) cut->lanes = 2;
    cut->tile = options->item_nodes > 0 ? options->item_nodes : choose_tile(element->nodes);
    cut->tiles = (element->nodes + cut->tile - 1) / cut->tile;
    cut->block = host ? 1 : 128;
    while (cut->block > 16 && cut->block * cut->tiles > THREADS_WANTED) cut->block /= 2;
    size_scratch(cut, element);
    while (!host && cut->block > 1 &&
           (cut->apply_scratch > SCRATCH_WANTED || cut->apply_scratch > most ||
            cut->block * cut->tiles > info->threads_block)) {
        cut->block /= 2;
        size_scratch(cut, element);
    }
    if (options->block_elements > 0 && !host) cut->block = options->block_elements;
    size_scratch(cut, element);
    cut->threads = round_up(cut->block * cut->tiles, 32);
    cut->smooth_block = host || element->nodes > 128 ? 1 : 128 / element->nodes;
    const int order = element->order;
    cut->coarse_nodes = order > 1 ? order * (order + 1) * (order + 2) / 6 : 0;
    if (cut->apply_scratch > most || (!host && cut->threads > info->threads_block)) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "order %d needs %lld bytes of shared memory and %d threads for blocks of "
                          "%d elements; %s allows %lld and %d",
                          order, (long long)cut->apply_scratch, cut->threads, cut->block,
                          info->name, (long long)most, info->threads_block);
    }
    return SEDGE_OK;
}

sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_cut *cut)
{
    const sedge_source sources[] = {
        {"codegen/kernels/values.h", NULL},
        {"codegen/kernels/dg_elliptic.h", NULL},
        {"codegen/kernels/dg_elliptic_level.h", NULL},
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
        {"BLOCK", cut->block},
        {"THREADS", cut->threads},
        {"SMOOTH_BLOCK", cut->smooth_block},
        {"SLOPES_WIDTH", elliptic_slopes_width(cut)},
        {"LIFTS_WIDTH", elliptic_lifts_width(cut)},
    };
    sedge_status status;
    sedge_text *constants = NULL;

    (void)snprintf(name, 64, "elliptic-n%d-%s", element->order,
                   cut->real_bytes == 8 ? "fp64" : "fp32");
    SEDGE_TRY_GOTO(status, sedge_text_create(&constants));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SEDGE_TRY_GOTO(status, sedge_text_add(constants, "#define SEDGE_%s %d\n", rows[i].name,
                                              rows[i].value));
    }
    const sedge_program_options options = {.name = name,
                                           .constants = sedge_text_get(constants),
                                           .sources = sources,
                                           .count = (int)(sizeof sources / sizeof sources[0])};
    SEDGE_TRY_GOTO(status, sedge_program_write(text, info->kind, &options));
done:
    sedge_text_free(constants);
    return status;
}

sedge_status sedge_elliptic_text(sedge_text *out, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 const sedge_elliptic_options *options)
{
    elliptic_cut cut;
    char name[64];

    SEDGE_TRY(elliptic_cut_choose(&cut, info, element, precision, options));
    return elliptic_text(out, name, info, element, &cut);
}
