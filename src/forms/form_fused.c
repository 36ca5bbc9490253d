// The form of every equation and device (codegen/kernels/dg/dg_stage.h): volume and surface in one
// kernel, in which a work item has a tile of nodes; derivatives and lift are dense.
#include "forms/candidates.h"
#include "forms/constants.h"

#include <stdio.h>

#define TILE_HOST 8   // nodes of a tile on the host, at most
#define NEAR      2.0 // the candidates of the host that are rated below it

// ---- configuration -----------------------------------------------------------------------------

// Between `least` and `most` nodes a tile: the number that wastes least at the end of the node
// list.
static int choose_tile(int nodes, int least, int most)
{
    int best = most;

    for (int n = most - 1; n >= least; n--)
        if (operator_round_up(nodes, n) < operator_round_up(nodes, best)) best = n;
    return best;
}

// The largest divisor of `fields` that is at most `most`.
static int choose_divisor(int fields, int most)
{
    for (int n = most; n > 1; n--)
        if (fields % n == 0) return n;
    return 1;
}

// A tile has as many nodes as fill the registers that the other SIMD batches leave.
static void choose_host(operator_config *config, const operator_layout *layout,
                        const operator_target *target)
{
    const int registers = target->info->vector_bytes >= 64 ? 32 : 16;
    const int each = layout->lanes * layout->real_bytes > target->info->vector_bytes ? 2 : 1;
    const int most = registers / 4 / each;

    config->block = 1;
    config->item_nodes = choose_tile(target->element->nodes, most / 2, most);
    config->lift_nodes = config->item_nodes;
    config->field_block = 1;
    config->lift_block = choose_divisor(target->problem->equation->fields, 3);
}

// GPUs: elements a block and nodes a lift item by order, two nodes a volume item throughout; the
// best of a sweep with six fields on an H200 (benchmarks/MEASUREMENTS.md).
static const struct {
    int block, lift_nodes;
} gpu_numbers[2][SEDGE_ORDER_MAX + 1] = {
    {{0, 0}, {32, 2}, {32, 2}, {24, 4}, {8, 4}, {4, 4}, {2, 2}, {2, 4}, {2, 2}, {2, 2}, {2, 2}},
    {{0, 0}, {16, 4}, {8, 4}, {16, 4}, {8, 4}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}},
};

static void choose(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const bool is_double = layout->real_bytes == 8;
    const int order = target->element->order;

    config->resident = 4096 / layout->real_bytes;
    if (operator_is_host_form(target->info)) {
        choose_host(config, layout, target);
        return;
    }
    config->field_block = target->problem->equation->fields;
    config->lift_block = target->problem->equation->fields;
    config->item_nodes = operator_round_up(2, layout->group);
    config->lift_nodes = operator_round_up(gpu_numbers[is_double][order].lift_nodes, layout->group);
    config->block = gpu_numbers[is_double][order].block;
    operator_config_derive(config, layout, target);
    while (config->block > 1 && !operator_config_fits(config, target->info)) {
        config->block /= 2;
        operator_config_derive(config, layout, target);
    }
}

// Words of `count` words filled up to an odd number of packs.
static int64_t stride(const operator_layout *layout, int64_t count)
{
    return (count / layout->pack | 1) * layout->pack;
}

// Words of the block's memory: SEDGE_SCRATCH_WORDS of dg_stage.h.
static int64_t scratch_words(const operator_config *config, const operator_layout *layout,
                             const operator_target *target)
{
    const int fields = target->problem->equation->fields;
    const int64_t words = (int64_t)layout->nodes_padded * fields;
    const int64_t points = SEDGE_FACES * (int64_t)target->element->face_nodes;
    const int64_t surface = stride(layout, points * fields);
    const int64_t states =
        operator_is_host_form(target->info) ? 0 : SEDGE_GEOMETRY_WORDS + 2 * stride(layout, words);
    const int64_t fluxes = target->problem->equation->linear ? 0 : 3 * words;

    return config->block * (states + surface + fluxes);
}

static void derive(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const int quad = 16 / layout->real_bytes; // numbers of a vector load
    const int nodes = target->element->nodes;

    config->tiles = (nodes + config->item_nodes - 1) / config->item_nodes;
    config->lift_tiles = (nodes + config->lift_nodes - 1) / config->lift_nodes;
    config->threads = operator_round_up(config->block * config->tiles, 32);
    config->deriv_width = operator_round_up(3 * config->item_nodes * layout->group, quad);
    config->lift_width = operator_round_up(config->lift_nodes * layout->group, quad);
    config->scratch_words = scratch_words(config, layout, target);
    config->scratch_bytes = config->scratch_words * layout->real_bytes * layout->lanes;
}

static void describe(char *text, size_t size, const operator_config *config,
                     const operator_layout *layout, const operator_target *target)
{
    if (operator_is_host_form(target->info)) {
        (void)snprintf(text, size, "n%d,%d f%d,%d l%d", config->item_nodes, config->lift_nodes,
                       config->field_block, config->lift_block, layout->lanes);
    } else {
        (void)snprintf(text, size, "b%d n%d,%d r%d p%d", config->block, config->item_nodes,
                       config->lift_nodes, config->resident, layout->nodes_padded);
    }
}

static sedge_status request(operator_config *config, const operator_layout *layout,
                            const operator_target *target, const operator_numbers *numbers)
{
    const bool host = operator_is_host_form(target->info);
    const int fields = target->problem->equation->fields;

    if (numbers->item_nodes > 0)
        config->item_nodes = operator_round_up(numbers->item_nodes, layout->group);
    if (numbers->lift_nodes > 0)
        config->lift_nodes = operator_round_up(numbers->lift_nodes, layout->group);
    if (numbers->item_fields > 0 && host) config->field_block = numbers->item_fields;
    if (numbers->block_elements > 0 && !host) config->block = numbers->block_elements;
    if (fields % config->field_block == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernels.item_fields %d does not divide the %d fields of %s",
                      config->field_block, fields, target->problem->equation->name);
}

// ---- candidates --------------------------------------------------------------------------------

// What the inner loops keep busy: sums, what they are made from, and on a GPU the neighbours'
// traces.
static int count_registers(const operator_config *config, const operator_layout *layout,
                           const operator_target *target)
{
    const int fields = target->problem->equation->fields;
    const int points = SEDGE_FACES * target->element->face_nodes;
    const int sums = 3;

    if (operator_is_host_form(target->info)) {
        const int each =
            operator_largest(1, layout->lanes * layout->real_bytes / target->info->vector_bytes);
        return each * operator_largest((sums * config->item_nodes + 1) * config->field_block,
                                       (config->lift_nodes + 1) * config->lift_block);
    }
    const int rounds = (config->block * points + config->threads - 1) / config->threads;
    const int volume = (sums * config->item_nodes + layout->group) * fields;
    const int lift = (config->lift_nodes + layout->group) * fields;
    return OPERATOR_LEAST_REGISTERS +
           layout->real_bytes / 4 *
               operator_largest(operator_largest(volume, lift), rounds * fields);
}

// How far a configuration is from the default, and what it wastes: nodes that fill up tiles,
// threads that fill up warps, registers that are spilled.
static double rate(const operator_config *config, const operator_config *rule,
                   const operator_layout *layout, const operator_target *target)
{
    const int nodes = target->element->nodes;
    double sum = 1.0 + operator_distance(config->block, rule->block) +
                 operator_distance(config->item_nodes, rule->item_nodes) +
                 operator_distance(config->lift_nodes, rule->lift_nodes) +
                 operator_distance(config->field_block, rule->field_block) +
                 operator_distance(config->lift_block, rule->lift_block) +
                 0.5 * operator_distance(config->resident, rule->resident);

    sum +=
        2.0 * operator_waste(nodes, config->item_nodes) + operator_waste(nodes, config->lift_nodes);
    if (!operator_is_host_form(target->info))
        sum += (double)config->threads / (config->block * config->tiles) - 1.0;
    return sum + 2.0 * operator_spilled(config, layout, target);
}

// Half as many threads that stay on a multiprocessor have twice the registers: worth trying where
// there are too few of them, and the other way not worth trying where half would be spilled.
static void add_resident(operator_lister *list, operator_config config)
{
    const int needed = count_registers(&config, list->layout, list->target);
    const int limit = operator_register_limit(&config, list->target);

    if (2 * limit > needed) operator_lister_add(list, config);
    if (limit < needed) {
        config.resident /= 2;
        operator_lister_add(list, config);
    }
}

// A GPU: every block and tile.
static void list_gpu(operator_lister *list)
{
    static const int blocks[] = {1, 2, 4, 8, 12, 16, 24, 32, 48};
    static const int items[] = {1, 2, 4};
    static const int lifts[] = {1, 2, 4, 6, 8};
    const int group = list->layout->group;

    for (int i = 0; i < 3 * 5 * 9; i++) {
        operator_config config = list->rule;
        config.item_nodes = items[i % 3];
        config.lift_nodes = lifts[i / 3 % 5];
        config.block = blocks[i / 15];
        operator_config_derive(&config, list->layout, list->target);
        if (config.item_nodes % group != 0 || config.lift_nodes % group != 0) continue;
        if (config.tiles == 1 && config.item_nodes > list->rule.item_nodes) continue;
        if (config.lift_tiles == 1 && config.lift_nodes > list->rule.lift_nodes) continue;
        if (2 * config.block * config.tiles < config.threads) continue; // half would idle
        add_resident(list, config);
    }
}

// The host: volume and lift do not disturb each other much. Each is varied alone, and together
// what is near the default.
static void list_host(operator_lister *list)
{
    const operator_config *const rule = &list->rule;
    const sedge_equation *const equation = list->target->problem->equation;
    const int fields = equation->fields;
    const int nodes = list->target->element->nodes;
    const int most = TILE_HOST < nodes ? TILE_HOST : nodes;

    for (int i = 0; i < most * fields * most * fields; i++) {
        operator_config config = *rule;
        config.item_nodes = i % most + 1;
        config.field_block = i / most % fields + 1;
        config.lift_nodes = i / most / fields % most + 1;
        config.lift_block = i / most / fields / most + 1;
        if (fields % config.field_block != 0 || fields % config.lift_block != 0) continue;
        const bool same_volume =
            config.item_nodes == rule->item_nodes && config.field_block == rule->field_block;
        const bool same_lift =
            config.lift_nodes == rule->lift_nodes && config.lift_block == rule->lift_block;
        if (4 * count_registers(&config, list->layout, list->target) >
            5 * operator_register_limit(&config, list->target))
            continue;
        if (!equation->linear && config.field_block != rule->field_block) continue;
        if (same_volume || same_lift || rate(&config, rule, list->layout, list->target) < NEAR)
            operator_lister_add(list, config);
    }
}

static void list(operator_lister *list)
{
    if (operator_is_host_form(list->target->info)) {
        list_host(list);
    } else {
        list_gpu(list);
    }
}

// From order 4 matrix instructions are 1.2 to 2 times as fast where they can run
// (benchmarks/MEASUREMENTS.md); below it they lose. Padded nodes gain a few per cent at most.
static int count_searched(const operator_target *target, bool alone, bool behind)
{
    if (behind) return 1;
    if (alone) return 8;
    return target->element->order >= 4 ? 1 : 5;
}

// ---- program -----------------------------------------------------------------------------------

static sedge_status write_constants(sedge_text *text, const operator_config *config,
                                    const operator_layout *layout, const operator_target *target)
{
    const operator_constant rows[] = {{"STAGE", 1}, {"TENSOR", 0}};

    (void)config, (void)layout, (void)target;
    return operator_constants_write(text, rows, sizeof rows / sizeof rows[0]);
}

// D_r, D_s, D_t: sedge_deriv of dg_behind.h, [node groups][tiles].
static sedge_status make_deriv(operator_table *out, const operator_config *config,
                               const operator_layout *layout, const operator_target *target)
{
    const sedge_element *const element = target->element;
    const int nodes = element->nodes;
    const int tile = config->item_nodes;
    const int group = layout->group;

    out->count = (int64_t)layout->nodes_padded / group * config->tiles * config->deriv_width;
    SEDGE_TRY(sedge_allocate(&out->values, out->count, sizeof *out->values));
    for (int m = 0; m < nodes; m++) {
        for (int n = 0; n < nodes; n++) {
            for (int j = 0; j < 3; j++) {
                const int64_t piece = (int64_t)m / group * config->tiles + n / tile;
                out->values[piece * config->deriv_width +
                            ((int64_t)m % group * tile + n % tile) * 3 + j] =
                    element->derivative[j][n * nodes + m];
            }
        }
    }
    return SEDGE_OK;
}

// The lift: sedge_lift of dg_behind.h, [face point groups][lift tiles].
static sedge_status make_lift(operator_table *out, const operator_config *config,
                              const operator_layout *layout, const operator_target *target)
{
    const sedge_element *const element = target->element;
    const int tile = config->lift_nodes;
    const int group = layout->group;
    const int points = SEDGE_FACES * element->face_nodes;

    out->count = (int64_t)points / group * config->lift_tiles * config->lift_width;
    SEDGE_TRY(sedge_allocate(&out->values, out->count, sizeof *out->values));
    for (int k = 0; k < points; k++) {
        for (int n = 0; n < element->nodes; n++) {
            const int64_t piece = (int64_t)k / group * config->lift_tiles + n / tile;
            out->values[piece * config->lift_width + (int64_t)k % group * tile + n % tile] =
                element->lift[n * points + k];
        }
    }
    return SEDGE_OK;
}

static sedge_status make_tables(operator_table *deriv, operator_table *lift,
                                const operator_config *config, const operator_layout *layout,
                                const operator_target *target)
{
    SEDGE_TRY(make_deriv(deriv, config, layout, target));
    return make_lift(lift, config, layout, target);
}

const operator_form operator_form_fused = {
    .name = "fused",
    .basis = SEDGE_NODAL,
    .counts_are_bounds = true,
    .choose = choose,
    .derive = derive,
    .describe = describe,
    .request = request,
    .list = list,
    .registers = count_registers,
    .prior = rate,
    .searched = count_searched,
    .sources = {"codegen/kernels/dg/dg_stage.h"},
    .constants = write_constants,
    .tables = make_tables,
};
