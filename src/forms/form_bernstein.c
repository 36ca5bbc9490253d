// Sparse operators on coefficients of the Bernstein-Bezier basis (codegen/kernels/dg/
// dg_bernstein.h), of linear equations: a work item has one field of one element.
#include "forms/bernstein_products.h"
#include "forms/candidates.h"
#include "forms/constants.h"

#include <stdio.h>

#define WARP        32  // threads
#define MOST_SUMS   176 // registers that sums of one field may take
#define MOST_PAIRED 6   // numbers of terms' memory at a node: as a Lorentz pole has

// Numbers of its own on a GPU, where `block` is a multiple of GROUP_ELEMENTS.
enum {
    PARTS,          // warps that share a group of elements
    GROUP_ELEMENTS, // as many as a warp has lanes for, one a field
    JUMP_STRIDE,    // words from one element's jumps to the next one's
    LOWER_STRIDE,   // the same of coefficients of order N - 1
    SLICES,         // of an element's coefficients: one for each part, or 1: parts share the faces
    AHEAD           // blocks: how far ahead the L2 cache prefetches
};

static const char *refusal(const operator_target *target)
{
    if (!target->problem->equation->linear) return "a linear equation";
    if (target->problem->equation->fields > WARP) // a warp has an element at least
        return "an equation of at most 32 fields";
    for (int i = 0; i < target->problem->term_count; i++)
        if (!target->problem->terms[i].kind->linear) return "linear terms of materials";
    // With a predictor the stage has no such terms.
    if (sedge_problem_varies(target->problem, -1) && !target->problem->integrator->predictor)
        return "terms that are the same at all nodes of an element, or time.integrator: ader";
    return NULL;
}

// On a GPU: do warps share an element's coefficients rather than its faces? Where a thread has too
// few registers for all sums of a field.
static bool is_sliced(const operator_target *target)
{
    const int words = target->problem->precision == SEDGE_FP64 ? 2 : 1;

    return !operator_is_host_form(target->info) && target->element->nodes * words > MOST_SUMS;
}

// With slices it was the fastest form on an H200 (benchmarks/MEASUREMENTS.md); on other devices
// only a search can tell.
static bool is_default(const operator_target *target)
{
    return !is_sliced(target) || sedge_traits_of(target->info->kind)->gpu_rules;
}

// ---- configuration -----------------------------------------------------------------------------

// Accesses of a warp that meet in the worst bank of shared memory, where an item takes one field of
// one element and elements are `words` apart.
static int count_conflicts(int words, int fields, int real_bytes)
{
    const int banks = 128 / real_bytes; // words that can be read at once
    int worst = 1;

    for (int first = 0; first < WARP; first += banks) {
        int used[32] = {0};
        for (int lane = first; lane < first + banks && lane < WARP / fields * fields; lane++) {
            int *const bank = &used[(lane / fields * words + lane % fields) % banks];
            if (++*bank > worst) worst = *bank;
        }
    }
    return worst;
}

// `words` filled up to whole pieces, so that a warp's items meet different banks.
static int spread(int words, const operator_layout *layout, int fields)
{
    const int align = layout->state_align / layout->real_bytes;
    const int unit = align < 2 ? 2 : align;
    const int least = operator_round_up(words, unit);
    int best = least;

    for (int s = least; s < least + 2 * WARP; s += unit) {
        if (count_conflicts(s, fields, layout->real_bytes) <
            count_conflicts(best, fields, layout->real_bytes))
            best = s;
    }
    return best;
}

// Nodes of order N - 1.
static int count_lower(const operator_target *target)
{
    return target->element->nodes - target->element->face_nodes;
}

// How many neighbouring nodes an item takes where it adds terms: on a GPU two, whose memory it
// loads and stores together, where that is little; with more, or with layers, of which a program
// has several kinds, it would take more registers.
static int count_term_nodes(const operator_layout *layout, const operator_target *target)
{
    const sedge_problem *const problem = target->problem;
    int words = 0;

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (term->kind->layer != 0 || term->kind->drive != NULL) return 1;
        words += sedge_term_memory(term);
    }
    const bool is_little = words > 0 && words <= MOST_PAIRED;
    return is_little && layout->lanes == 1 && layout->nodes_padded % 2 == 0 ? 2 : 1;
}

static void derive(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const int fields = target->problem->equation->fields;
    const int points = SEDGE_FACES * target->element->face_nodes;
    const int nodes = target->element->nodes;
    const int lower = count_lower(target);
    const int64_t words = (int64_t)layout->nodes_padded * fields;
    int *const own = config->own;

    config->tiles = config->lift_tiles = nodes;
    config->deriv_width = config->lift_width = 16 / layout->real_bytes;
    own[SLICES] = is_sliced(target) ? own[PARTS] : 1;
    if (operator_is_host_form(target->info)) {
        config->threads = WARP;
        config->scratch_words = (int64_t)(points + lower + nodes) * fields;
        config->scratch_bytes = config->scratch_words * layout->real_bytes * layout->lanes;
        return;
    }
    own[GROUP_ELEMENTS] = WARP / fields;
    config->block = operator_round_up(config->block, own[GROUP_ELEMENTS]);
    config->threads = config->block / own[GROUP_ELEMENTS] * own[PARTS] * WARP;
    const int sums = operator_round_up(nodes, count_term_nodes(layout, target));
    own[JUMP_STRIDE] = spread((points > sums ? points : sums) * fields, layout, fields);
    own[LOWER_STRIDE] = spread(lower * fields, layout, fields);
    config->scratch_words =
        config->block * (words + SEDGE_GEOMETRY_WORDS + own[JUMP_STRIDE] + own[LOWER_STRIDE]);
    config->scratch_bytes = config->scratch_words * layout->real_bytes;
    // Half of those that run at once: with all of them the cache has no room for what else is read.
    own[AHEAD] = OPERATOR_CHIP_MULTIPROCESSORS * operator_chip_blocks(config->scratch_bytes) / 2;
}

// As an H200 has them fastest (benchmarks/MEASUREMENTS.md), by order: warps a group, groups a
// block, and blocks of a multiprocessor for which registers are limited; 1: as many registers as it
// takes.
typedef struct shape {
    int parts, groups, blocks;
} shape;

static const shape fp32[SEDGE_ORDER_MAX + 1] = {{1, 4, 1}, {1, 8, 6}, {1, 4, 1}, {1, 4, 1},
                                                {2, 2, 1}, {2, 2, 1}, {2, 2, 1}, {2, 2, 1},
                                                {2, 1, 1}, {2, 1, 1}, {4, 1, 1}};
static const shape fp64[SEDGE_ORDER_MAX + 1] = {{1, 4, 1}, {1, 8, 4}, {1, 4, 1}, {2, 2, 1},
                                                {2, 1, 1}, {2, 1, 5}, {2, 1, 1}, {4, 1, 1},
                                                {3, 1, 1}, {4, 1, 1}, {5, 1, 1}};

static void choose(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const int order = target->element->order;
    const shape *const rule = layout->real_bytes == 8 ? &fp64[order] : &fp32[order];
    const bool is_host = operator_is_host_form(target->info);
    const int group = WARP / target->problem->equation->fields;

    config->item_nodes = config->lift_nodes = layout->group;
    config->field_block = config->lift_block = target->problem->equation->fields;
    config->own[PARTS] = rule->parts;
    config->block = is_host ? 1 : rule->groups * group;
    derive(config, layout, target);
    // Several groups only where there is room for two such blocks.
    while (config->block > group && 2 * config->scratch_bytes > target->info->shared_bytes_block) {
        config->block /= 2;
        derive(config, layout, target);
    }
    config->resident = rule->blocks * config->threads;
}

static void describe(char *text, size_t size, const operator_config *config,
                     const operator_layout *layout, const operator_target *target)
{
    if (operator_is_host_form(target->info)) {
        (void)snprintf(text, size, "sparse l%d", layout->lanes);
    } else {
        (void)snprintf(text, size, "sparse b%d w%d r%d p%d", config->block, config->own[PARTS],
                       config->resident, layout->nodes_padded);
    }
}

static sedge_status request(operator_config *config, const operator_layout *layout,
                            const operator_target *target, const operator_numbers *numbers)
{
    (void)layout;
    SEDGE_TRY(operator_request_no_items(numbers, config->form));
    if (numbers->block_elements > 0 && !operator_is_host_form(target->info))
        config->block = numbers->block_elements;
    return SEDGE_OK;
}

// ---- candidates --------------------------------------------------------------------------------

static int count_registers(const operator_config *config, const operator_layout *layout,
                           const operator_target *target)
{
    const sedge_element *const element = target->element;
    int end[SEDGE_ORDER_MAX + 1];
    const int sums = operator_bernstein_cut(end, element->order, config->own[SLICES]);

    return OPERATOR_LEAST_REGISTERS + layout->real_bytes / 4 * (sums + 2 * element->face_nodes / 3);
}

static double rate(const operator_config *config, const operator_config *rule,
                   const operator_layout *layout, const operator_target *target)
{
    const double sum = 1.0 + operator_distance(config->block, rule->block) +
                       0.5 * operator_distance(config->resident, rule->resident) +
                       operator_distance(config->own[PARTS], rule->own[PARTS]);

    return sum + 2.0 * operator_spilled(config, layout, target);
}

// A GPU: groups of elements a block, warps a group (slices: up to one more or less than the
// default's), and limits of registers that let half, three quarters or all of the blocks stay that
// have room for their memory. The host has the default alone.
static void list(operator_lister *list)
{
    const int first = is_sliced(list->target) ? list->rule.own[PARTS] - 1 : 1;
    const int last = is_sliced(list->target) ? list->rule.own[PARTS] + 1 : 2;

    if (operator_is_host_form(list->target->info)) return;
    for (int groups = 1; groups <= 8; groups *= 2) {
        for (int parts = first; parts <= last; parts++) {
            operator_config config = list->rule;
            config.own[PARTS] = parts;
            config.block = groups * list->rule.own[GROUP_ELEMENTS];
            derive(&config, list->layout, list->target);
            config.resident = config.threads;
            operator_lister_add(list, config);
            const int blocks = operator_chip_blocks(config.scratch_bytes);
            for (int quarters = 4; quarters > 1; quarters--) {
                config.resident = blocks * quarters / 4 * config.threads;
                if (config.resident <= 2048 && config.resident > config.threads)
                    operator_lister_add(list, config);
            }
        }
    }
}

// The winners were among the first four. With slices the default is the fastest of all that were
// timed (benchmarks/MEASUREMENTS.md), and each program takes the compiler 10 to 30 s: the others
// are not searched.
static int count_searched(const operator_target *target, bool alone, bool behind)
{
    (void)alone, (void)behind;
    return is_sliced(target) ? 1 : 4;
}

// ---- program -----------------------------------------------------------------------------------

static sedge_status write_constants(sedge_text *text, const operator_config *config,
                                    const operator_layout *layout, const operator_target *target)
{
    const int *const own = config->own;
    const operator_constant rows[] = {
        {"STAGE", 0},
        {"TENSOR", 0},
        {"LOWER_NODES", count_lower(target)},
        {"PARTS", own[PARTS]},
        {"GROUP_ELEMENTS", own[GROUP_ELEMENTS]},
        {"JUMP_STRIDE", own[JUMP_STRIDE]},
        {"LOWER_STRIDE", own[LOWER_STRIDE]},
        {"SLICES", own[SLICES]},
        {"AHEAD", own[AHEAD]},
        {"PAIR_BYTES", 2 * layout->real_bytes},
        {"TERM_NODES", count_term_nodes(layout, target)},
        {"TERM_BYTES", count_term_nodes(layout, target) * layout->real_bytes},
    };

    return operator_constants_write(text, rows, sizeof rows / sizeof rows[0]);
}

static sedge_status write_products(sedge_text *text, const operator_config *config,
                                   const operator_target *target)
{
    return operator_bernstein_write(text, target->element, target->problem->equation->fields,
                                    config->own[SLICES]);
}

const operator_form operator_form_bernstein = {
    .name = "bernstein",
    .basis = SEDGE_BERNSTEIN,
    .refusal = refusal,
    .is_default = is_default,
    .choose = choose,
    .derive = derive,
    .describe = describe,
    .request = request,
    .list = list,
    .registers = count_registers,
    .prior = rate,
    .searched = count_searched,
    .sources = {"codegen/kernels/dg/dg_stage.h", "bernstein_products.h",
                "codegen/kernels/dg/dg_lower.h", "codegen/kernels/dg/dg_bulk.h",
                "codegen/kernels/dg/dg_bernstein.h"},
    .constants = write_constants,
    .written = "bernstein_products.h",
    .write = write_products,
};
