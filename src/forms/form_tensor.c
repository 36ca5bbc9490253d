// Curls by matrix instructions in fp64 (codegen/kernels/dg/dg_tensor.h): a warp multiplies 8 nodes
// of a tile with 8 elements of a group at a time.
#include "forms/candidates.h"
#include "forms/constants.h"

#include "base/memory.h"

#include <stdio.h>

#define FIRST_ORDER 4 // from which it beats the form without matrix instructions

// Numbers of its own: groups of 8 elements that a warp takes together, warps of a block; and words
// from element to element in the block's memory, of nodes and of face points.
enum { GROUPS, WARPS, STRIDE, FACE_STRIDE };

static const char *refusal(const operator_target *target)
{
    if (!target->problem->equation->curls) return "an equation that is made of curls";
    if (!target->problem->equation->linear) return "a linear equation";
    if (target->problem->precision != SEDGE_FP64) return "precision fp64";
    if (!sedge_device_has_matrix_units(target->info) && !target->info->random_order)
        return "an NVIDIA GPU of compute capability 8.0 or later";
    return NULL;
}

static bool is_default(const operator_target *target)
{
    return sedge_device_has_matrix_units(target->info) && target->element->order >= FIRST_ORDER;
}

// ---- configuration -----------------------------------------------------------------------------

// Words from element to element where a warp reads `steps` times 8 rows of `fields`: lanes 4 g + t
// read packs number `apart` t of element g, and eight lanes at once want eight different banks of a
// pack each. The least stride that comes nearest to it.
static int choose_stride(const operator_layout *layout, int fields, int steps)
{
    const int run = fields; // words, as in dg_tensor.h
    const int least = (steps * 8 * fields + layout->pack - 1) / layout->pack;
    int best = least | 1;
    int most = 0;

    if (run % layout->pack != 0) return best * layout->pack;
    for (int stride = least; stride < least + 8; stride++) {
        unsigned banks = 0;
        int count = 0;
        for (int lane = 0; lane < 8; lane++)
            banks |= 1U << (lane % 4 * (run / layout->pack) + lane / 4 * stride) % 8;
        for (int bank = 0; bank < 8; bank++) count += (int)(banks >> bank & 1U);
        if (count > most) best = stride;
        if (count > most) most = count;
    }
    return best * layout->pack;
}

static void derive(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const int fields = target->problem->equation->fields;
    const int points = SEDGE_FACES * target->element->face_nodes;

    config->tiles = (target->element->nodes + 7) / 8;
    config->lift_tiles = config->tiles;
    config->threads = 32 * config->own[WARPS];
    config->deriv_width = 3 * 32 * layout->pack;
    config->lift_width = 32 * layout->pack;
    config->own[STRIDE] = choose_stride(layout, fields, config->tiles);
    config->own[FACE_STRIDE] = choose_stride(layout, fields, (points + 7) / 8);
    config->scratch_words = (int64_t)config->block *
                            (SEDGE_GEOMETRY_WORDS + config->own[STRIDE] + config->own[FACE_STRIDE]);
    config->scratch_bytes = config->scratch_words * layout->real_bytes;
}

// A block's pieces: 8 nodes of a warp's elements each.
static int count_pieces(const operator_config *config, const operator_target *target)
{
    return (target->element->nodes + 7) / 8 * config->block / (8 * config->own[GROUPS]);
}

// Orders and rounds as an H200 has them fastest with six fields (benchmarks/MEASUREMENTS.md): in
// each of `rounds` every warp takes a piece.
static void choose(operator_config *config, const operator_layout *layout,
                   const operator_target *target)
{
    const int order = target->element->order;
    const int least = order < 6 ? 1 : order < 10 ? 2 : 3;

    // The functions of dg_stage.h that its kernels use have that form's numbers.
    operator_config_choose_form(config, &operator_form_fused, layout, target);
    config->form = &operator_form_tensor;
    config->own[GROUPS] = 1;
    config->block = 8;
    config->resident = 512;
    for (int rounds = least; rounds == least || config->threads > 512; rounds++) {
        config->own[WARPS] = (count_pieces(config, target) + rounds - 1) / rounds;
        derive(config, layout, target);
    }
}

static void describe(char *text, size_t size, const operator_config *config,
                     const operator_layout *layout, const operator_target *target)
{
    (void)target;
    (void)snprintf(text, size, "b%d g%d w%d r%d p%d", config->block, config->own[GROUPS],
                   config->own[WARPS], config->resident, layout->nodes_padded);
}

static sedge_status request(operator_config *config, const operator_layout *layout,
                            const operator_target *target, const operator_numbers *numbers)
{
    const int unit = 8 * config->own[GROUPS];

    (void)layout, (void)target;
    SEDGE_TRY(operator_request_no_items(numbers, config->form));
    if (numbers->block_elements > 0) config->block = numbers->block_elements;
    if (config->block % unit == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels.block_elements %d is not a multiple of %d, as kernels.variant '%s' "
                      "needs it",
                      config->block, unit, config->form->name);
}

// ---- candidates --------------------------------------------------------------------------------

// Three derivatives of two nodes, what they are made from, and the neighbours' traces.
static int count_registers(const operator_config *config, const operator_layout *layout,
                           const operator_target *target)
{
    const int words = layout->real_bytes / 4;
    const int fields = (target->problem->equation->fields + 1) / 2 * 2;
    const int points = config->block * SEDGE_FACES * target->element->face_nodes;
    const int rounds = (points + config->threads - 1) / config->threads;
    const int sums = 2;
    const int rows = (config->own[GROUPS] * sums + 2) * fields;

    return OPERATOR_LEAST_REGISTERS + words * operator_largest(rows + 6, rounds * fields);
}

static double rate(const operator_config *config, const operator_config *rule,
                   const operator_layout *layout, const operator_target *target)
{
    (void)layout;
    return 1.0 + operator_waste(target->element->nodes, 8) +
           operator_waste(count_pieces(config, target), config->own[WARPS]) +
           operator_distance(config->block, rule->block) +
           0.5 * operator_distance(config->resident, rule->resident) +
           0.5 * operator_distance(config->own[GROUPS], rule->own[GROUPS]) +
           0.5 * operator_distance(config->own[WARPS], rule->own[WARPS]);
}

// Blocks, groups and rounds, each with as many registers as may pay.
static void list(operator_lister *list)
{
    static const int blocks[] = {8, 16, 24, 32, 48};
    static const int residents[] = {384, 512, 768, 1024};

    for (int i = 0; i < 5 * 2 * 4 * 4; i++) {
        const int rounds = i / 10 % 4 + 1;
        operator_config config = list->rule;
        config.block = blocks[i % 5];
        config.own[GROUPS] = i / 5 % 2 + 1;
        config.resident = residents[i / 40];
        if (config.block % (8 * config.own[GROUPS]) != 0) continue;
        config.own[WARPS] = (count_pieces(&config, list->target) + rounds - 1) / rounds;
        derive(&config, list->layout, list->target);
        if (config.threads > config.resident) continue;
        if (4 * count_registers(&config, list->layout, list->target) <=
            5 * operator_register_limit(&config, list->target))
            operator_lister_add(list, config);
    }
}

// Matrix instructions lose below order 4, and are 1.2 to 2 times as fast as other nodal forms above
// (benchmarks/MEASUREMENTS.md).
static int count_searched(const operator_target *target, bool alone, bool behind)
{
    (void)alone;
    return !behind && target->element->order >= FIRST_ORDER ? 3 : 1;
}

// ---- program -----------------------------------------------------------------------------------

static sedge_status write_constants(sedge_text *text, const operator_config *config,
                                    const operator_layout *layout, const operator_target *target)
{
    const operator_constant rows[] = {
        {"STAGE", 1},
        {"TENSOR", 1},
        {"GROUPS", config->own[GROUPS]},
        {"STRIDE", config->own[STRIDE]},
        {"FACE_STRIDE", config->own[FACE_STRIDE]},
    };

    (void)layout, (void)target;
    return operator_constants_write(text, rows, sizeof rows / sizeof rows[0]);
}

// Of 8 rows or columns, the one that is number `i` of lane t to the matrix unit (SEDGE_PLACE of
// dg_tensor.h).
static int find_place(int t, int i)
{
    return t + 4 * i;
}

// What lane 4 g + t holds of a matrix [nodes][columns] for the tile's 8 nodes and a step's 8
// columns.
static void put_fragment(double *list, const double *matrix, int nodes, int columns, int tile,
                         int step, int lane)
{
    const int node = 8 * tile + find_place(lane / 4 / 2, lane / 4 % 2);

    for (int i = 0; i < 2; i++) {
        const int column = 8 * step + find_place(lane % 4, i);
        const bool inside = node < nodes && column < columns;
        list[i] = inside ? matrix[node * columns + column] : 0.0;
    }
}

// `count` matrices, one beside the other in each step: [tiles][steps][count][lanes] of packs.
static sedge_status make_fragments(operator_table *out, const operator_config *config,
                                   const operator_layout *layout, const operator_target *target,
                                   const double *const *matrices, int count, int columns)
{
    const int steps = (columns + 7) / 8;
    const int64_t packs = (int64_t)config->tiles * steps * count * 32;
    const int64_t room = (int64_t)count * 32; // kernels read a step ahead

    out->count = (packs + room) * layout->pack;
    SEDGE_TRY(sedge_allocate(&out->values, out->count, sizeof *out->values));
    for (int64_t k = 0; k < packs; k++) {
        const int step = (int)(k / 32 / count % steps);
        put_fragment(out->values + k * layout->pack, matrices[k / 32 % count],
                     target->element->nodes, columns, (int)(k / 32 / count / steps), step,
                     (int)(k % 32));
    }
    return SEDGE_OK;
}

static sedge_status make_tables(operator_table *deriv, operator_table *lift,
                                const operator_config *config, const operator_layout *layout,
                                const operator_target *target)
{
    const sedge_element *const element = target->element;
    const double *const derivatives[3] = {element->derivative[0], element->derivative[1],
                                          element->derivative[2]};
    const double *const lifts[1] = {element->lift};

    SEDGE_TRY(make_fragments(deriv, config, layout, target, derivatives, 3, element->nodes));
    return make_fragments(lift, config, layout, target, lifts, 1,
                          SEDGE_FACES * element->face_nodes);
}

const operator_form operator_form_tensor = {
    .name = "tensor-curl",
    .basis = SEDGE_NODAL,
    .matrix_units = true,
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
    .sources = {"codegen/kernels/dg/dg_stage.h", "codegen/kernels/dg/dg_tensor.h"},
    .constants = write_constants,
    .tables = make_tables,
};
