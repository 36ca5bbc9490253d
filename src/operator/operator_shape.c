#include "operator/operator_internal.h"
#include "operator/operator_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE         128    // bytes that a GPU's caches hold together,
#define SECTOR       32     // and those that it reads from memory at once
#define WARP         32     // threads
#define MOST_SUMS    176    // registers that sums of one field may take
#define SHARED_BYTES 233472 // of a multiprocessor of a large chip
#define SHARED_MORE  1024   // of a block, beside its own
#define MATRIX_SINCE 8      // the order from which the tensor form beats the sparse one,
#define TENSOR_SINCE 4      // and the plain one

// Largest power of two that divides `bytes`, at most 16.
static int alignment_of(int bytes)
{
    int align = 4;

    while (align < 16 && bytes % (2 * align) == 0) align *= 2;
    return align;
}

// Between `least` and `most` nodes a tile: the number that wastes least at the end of the node
// list.
static int choose_tile(int nodes, int least, int most)
{
    int best = most;

    for (int n = most - 1; n >= least; n--)
        if (operator_round_up(nodes, n) < operator_round_up(nodes, best)) best = n;
    return best;
}

int operator_round_up(int value, int multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

bool operator_is_host_form(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->in_call && !info->random_order;
}

// The largest divisor of `fields` that is at most `most`.
static int choose_divisor(int fields, int most)
{
    for (int n = most; n > 1; n--)
        if (fields % n == 0) return n;
    return 1;
}

// ---- layouts -----------------------------------------------------------------------------------

static operator_layout make_layout(const sedge_device_info *info, const sedge_problem *problem,
                                   const sedge_element *element, int lanes)
{
    const int fields = problem->equation->fields;
    operator_layout layout;

    memset(&layout, 0, sizeof layout);
    layout.real_bytes = problem->precision == SEDGE_FP64 ? 8 : 4;
    layout.lanes = lanes;
    layout.pack = operator_is_host_form(info) ? 1 : 16 / layout.real_bytes;
    layout.group = 1;
    while (layout.group * fields % layout.pack != 0) layout.group *= 2;
    layout.nodes_padded = operator_round_up(element->nodes, layout.group);
    layout.state_align = alignment_of(fields * layout.real_bytes);
    return layout;
}

// The host: a value is a vector register, or half of one, or two.
static void list_host(operator_choices *choices, const sedge_device_info *info,
                      const sedge_problem *problem, const sedge_element *element)
{
    const int full = info->vector_bytes / (problem->precision == SEDGE_FP64 ? 8 : 4);
    const int lanes[] = {full, full / 2, 2 * full};

    for (int i = 0; i < 3; i++) {
        if (lanes[i] < 2) continue;
        operator_layout *const layout = &choices->layout[choices->layouts++];
        *layout = make_layout(info, problem, element, lanes[i]);
        (void)snprintf(layout->name, sizeof layout->name, "%d lanes", lanes[i]);
    }
}

// A GPU: elements packed, or each on lines of its own where that wastes at most 5 %.
static void list_cuda(operator_choices *choices, const sedge_device_info *info,
                      const sedge_problem *problem, const sedge_element *element)
{
    const operator_layout packed = make_layout(info, problem, element, 1);
    const int bytes = problem->equation->fields * packed.real_bytes; // of a node
    operator_layout lined = packed;

    while (lined.nodes_padded * bytes % LINE != 0) lined.nodes_padded += lined.group;
    choices->layout[0] = packed;
    choices->layouts = 1;
    if (lined.nodes_padded > packed.nodes_padded &&
        20 * lined.nodes_padded <= 21 * packed.nodes_padded)
        choices->layout[choices->layouts++] = lined;
    for (int i = 0; i < choices->layouts; i++) {
        operator_layout *const layout = &choices->layout[i];
        (void)snprintf(layout->name, sizeof layout->name, "%d nodes", layout->nodes_padded);
    }
}

// On a GPU: does a thread have too few registers for the sums of one field?
static bool has_shared_sums(const operator_layout *layout, const sedge_element *element)
{
    return element->nodes * layout->real_bytes / 4 > MOST_SUMS;
}

// Does the rule take the sparse form in the Bernstein-Bezier basis? Where sums must lie in the
// block's memory, it was faster than the nodal forms on an H200 at order 7 in fp64, and at 9 and 10
// in fp32; from order 8 in fp64 the matrix units are, which only curls have (benchmarks/README.md).
// On other devices only a search can tell.
static bool is_sparse_first(const sedge_device_info *info, const sedge_problem *problem,
                            const operator_layout *layout, const sedge_element *element)
{
    if (operator_is_host_form(info) || !has_shared_sums(layout, element)) return true;
    if (!sedge_traits_of(info->kind)->gpu_rules) return false;
    return problem->order < MATRIX_SINCE || operator_tensor_refusal(info, problem) != NULL;
}

const char *operator_bernstein_refusal(const sedge_problem *problem)
{
    if (!problem->equation->linear) return "the equation is not linear";
    if (problem->equation->fields > WARP) // an item a field, and a warp has an element at least
        return "the equation has more than 32 fields";
    if (!operator_terms_are_linear(problem)) return "a term of its materials is not linear";
    return NULL;
}

// Behind the sparse layout: the same with each element on sectors of its own, where that wastes at
// most 5 %.
static void list_sectors(operator_choices *choices, int place, const sedge_problem *problem)
{
    operator_layout *const sparse = &choices->layout[place];
    operator_layout padded = *sparse;
    const int bytes = problem->equation->fields * padded.real_bytes; // of a node

    while (padded.nodes_padded * bytes % SECTOR != 0) padded.nodes_padded += padded.group;
    if (padded.nodes_padded == sparse->nodes_padded ||
        20 * padded.nodes_padded > 21 * sparse->nodes_padded)
        return;
    (void)snprintf(padded.name, sizeof padded.name, "bernstein, %d nodes", padded.nodes_padded);
    memmove(sparse + 2, sparse + 1, (size_t)(choices->layouts - 1 - place) * sizeof *sparse);
    sparse[1] = padded;
    choices->layouts++;
}

void operator_layouts_list(operator_choices *choices, const sedge_device_info *info,
                           const sedge_problem *problem, const sedge_element *element)
{
    choices->layouts = 0;
    if (operator_is_host_form(info)) {
        list_host(choices, info, problem, element);
    } else {
        list_cuda(choices, info, problem, element);
    }
    if (operator_bernstein_refusal(problem) != NULL) return;
    const operator_layout nodal = choices->layout[0];
    const int place = is_sparse_first(info, problem, &nodal, element) ? 0 : choices->layouts;
    operator_layout *const sparse = &choices->layout[place];
    memmove(sparse + 1, sparse, (size_t)(choices->layouts - place) * sizeof *sparse);
    *sparse = nodal;
    sparse->basis = SEDGE_BERNSTEIN;
    (void)snprintf(sparse->name, sizeof sparse->name, "bernstein, %.16s", nodal.name);
    choices->layouts++;
    if (!operator_is_host_form(info)) list_sectors(choices, place, problem);
}

// ---- configurations ----------------------------------------------------------------------------

// Words of `count` words filled up to an odd number of packs.
static int64_t stride(const operator_layout *layout, int64_t count)
{
    return (count / layout->pack | 1) * layout->pack;
}

// Words of the block's memory: SEDGE_SCRATCH_WORDS of dg_stage.h.
static int64_t scratch_words(const operator_config *config, const operator_layout *layout,
                             const sedge_problem *problem, const sedge_element *element, bool host)
{
    const int fields = problem->equation->fields;
    const int64_t words = (int64_t)layout->nodes_padded * fields;
    const int64_t points = SEDGE_FACES * (int64_t)element->face_nodes;
    const int64_t surface = stride(layout, points * fields);
    const int64_t states = host ? 0 : SEDGE_GEOMETRY_WORDS + 2 * stride(layout, words);
    const int64_t fluxes = problem->equation->linear ? 0 : 3 * words;

    return config->block * (states + surface + fluxes);
}

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

// The sparse form: of dg_bernstein.h.
static void derive_sparse(operator_config *config, const operator_layout *layout,
                          const sedge_problem *problem, const sedge_element *element, bool host)
{
    const int fields = problem->equation->fields;
    const int points = SEDGE_FACES * element->face_nodes;
    const int lower = element->nodes - element->face_nodes; // nodes of order N - 1
    const int64_t words = (int64_t)layout->nodes_padded * fields;

    config->tiles = config->lift_tiles = element->nodes;
    config->deriv_width = config->lift_width = 16 / layout->real_bytes;
    if (host) {
        config->threads = WARP;
        config->scratch_words = (int64_t)(points + lower + element->nodes) * fields;
        config->scratch_bytes = config->scratch_words * layout->real_bytes * layout->lanes;
        return;
    }
    config->group_elements = WARP / fields;
    config->block = operator_round_up(config->block, config->group_elements);
    config->threads = config->block / config->group_elements * config->parts * WARP;
    config->shared_sums = has_shared_sums(layout, element);
    config->jump_stride =
        spread((points > element->nodes ? points : element->nodes) * fields, layout, fields);
    config->lower_stride =
        spread((config->shared_sums ? element->nodes : lower) * fields, layout, fields);
    config->scratch_words =
        config->block * (words + SEDGE_GEOMETRY_WORDS + config->jump_stride + config->lower_stride);
    config->scratch_bytes = config->scratch_words * layout->real_bytes;
    const int64_t blocks = SHARED_BYTES / (config->scratch_bytes + SHARED_MORE);
    config->ahead = SEDGE_MULTIPROCESSORS * (int)(blocks < 1 ? 1 : blocks > 32 ? 32 : blocks);
}

// ---- by matrix instructions --------------------------------------------------------------------

const char *operator_tensor_refusal(const sedge_device_info *info, const sedge_problem *problem)
{
    if (!problem->equation->curls) return "an equation that is made of curls";
    if (!problem->equation->linear) return "a linear equation";
    if (problem->precision != SEDGE_FP64) return "precision fp64";
    if (!sedge_device_has_matrix_units(info) && !info->random_order)
        return "an NVIDIA GPU of compute capability 8.0 or later";
    return NULL;
}

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

static void derive_tensor(operator_config *config, const operator_layout *layout,
                          const sedge_problem *problem, const sedge_element *element)
{
    const int fields = problem->equation->fields;
    const int points = SEDGE_FACES * element->face_nodes;

    config->tiles = (element->nodes + 7) / 8;
    config->lift_tiles = config->tiles;
    config->threads = 32 * config->warps;
    config->deriv_width = 3 * 32 * layout->pack;
    config->lift_width = 32 * layout->pack;
    config->stride = choose_stride(layout, fields, config->tiles);
    config->face_stride = choose_stride(layout, fields, (points + 7) / 8);
    config->scratch_words =
        (int64_t)config->block * (SEDGE_GEOMETRY_WORDS + config->stride + config->face_stride);
    config->scratch_bytes = config->scratch_words * layout->real_bytes;
}

// Of a block's pieces - 8 nodes of a warp's elements - each warp takes `rounds`.
static int choose_warps(const operator_config *config, const sedge_element *element, int rounds)
{
    const int pieces = (element->nodes + 7) / 8 * config->block / (8 * config->groups);

    return (pieces + rounds - 1) / rounds;
}

// Orders and rounds as an H200 has them fastest with six fields (benchmarks/README.md).
static void choose_tensor(operator_config *config, const operator_layout *layout,
                          const sedge_device_info *info, const sedge_problem *problem,
                          const sedge_element *element)
{
    const int least = element->order < 6 ? 1 : element->order < 10 ? 2 : 3; // rounds

    config->groups = 1;
    config->block = 8;
    config->resident = 512;
    for (int rounds = least; rounds == least || config->threads > 512; rounds++) {
        config->warps = choose_warps(config, element, rounds);
        operator_config_derive(config, layout, info, problem, element);
    }
}

// ---- what follows ------------------------------------------------------------------------------

void operator_config_derive(operator_config *config, const operator_layout *layout,
                            const sedge_device_info *info, const sedge_problem *problem,
                            const sedge_element *element)
{
    if (config->form == FORM_TENSOR) {
        derive_tensor(config, layout, problem, element);
        return;
    }

    const bool host = operator_is_host_form(info);
    const int quad = 16 / layout->real_bytes; // numbers of a vector load

    if (config->form == FORM_SPARSE) {
        derive_sparse(config, layout, problem, element, host);
        return;
    }

    config->tiles = (element->nodes + config->item_nodes - 1) / config->item_nodes;
    config->lift_tiles = (element->nodes + config->lift_nodes - 1) / config->lift_nodes;
    config->threads = operator_round_up(config->block * config->tiles, 32);
    config->deriv_width = operator_round_up(3 * config->item_nodes * layout->group, quad);
    config->lift_width = operator_round_up(config->lift_nodes * layout->group, quad);
    config->scratch_words = scratch_words(config, layout, problem, element, host);
    config->scratch_bytes = config->scratch_words * layout->real_bytes * layout->lanes;
}

bool operator_config_fits(const operator_config *config, const sedge_device_info *info)
{
    if (operator_is_host_form(info)) return true;
    return config->threads <= info->threads_block &&
           config->scratch_bytes <= info->shared_bytes_block;
}

// A tile has as many nodes as fill the registers that the other values leave.
static void choose_host(operator_config *config, const operator_layout *layout,
                        const sedge_device_info *info, const sedge_problem *problem,
                        const sedge_element *element)
{
    const int registers = info->vector_bytes >= 64 ? 32 : 16;
    const int each = layout->lanes * layout->real_bytes > info->vector_bytes ? 2 : 1;
    const int most = registers / 4 / each;

    config->block = 1;
    config->item_nodes = choose_tile(element->nodes, most / 2, most);
    config->lift_nodes = config->item_nodes;
    config->field_block = 1;
    config->lift_block = choose_divisor(problem->equation->fields, 3);
}

// GPUs: elements a block and nodes a lift item by order, two nodes a volume item throughout; the
// best of a sweep with six fields on an H200 (benchmarks/README.md).
static const struct {
    int block, lift_nodes;
} gpu_configs[2][SEDGE_ORDER_MAX + 1] = {
    {{0, 0}, {32, 2}, {32, 2}, {24, 4}, {8, 4}, {4, 4}, {2, 2}, {2, 4}, {2, 2}, {2, 2}, {2, 2}},
    {{0, 0}, {16, 4}, {8, 4}, {16, 4}, {8, 4}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}},
};

static void choose_gpu(operator_config *config, const operator_layout *layout,
                       const sedge_device_info *info, const sedge_problem *problem,
                       const sedge_element *element)
{
    const bool is_double = layout->real_bytes == 8;

    config->field_block = problem->equation->fields;
    config->lift_block = problem->equation->fields;
    config->item_nodes = 2;
    config->lift_nodes = gpu_configs[is_double][element->order].lift_nodes;
    config->block = gpu_configs[is_double][element->order].block;
    config->item_nodes = operator_round_up(config->item_nodes, layout->group);
    config->lift_nodes = operator_round_up(config->lift_nodes, layout->group);
    operator_config_derive(config, layout, info, problem, element);
    while (config->block > 1 && !operator_config_fits(config, info)) {
        config->block /= 2;
        operator_config_derive(config, layout, info, problem, element);
    }
}

// One warp a group at low orders, where there are enough of them; groups a block as an H200 has
// them fastest (benchmarks/README.md); registers as many as it takes, but where eight blocks win.
static void choose_sparse(operator_config *config, const operator_layout *layout,
                          const sedge_device_info *info, const sedge_problem *problem,
                          const sedge_element *element)
{
    const bool is_low = element->order + (layout->real_bytes == 8) <= 2;

    config->item_nodes = config->lift_nodes = layout->group;
    config->field_block = config->lift_block = problem->equation->fields;
    config->parts = is_low ? 1 : 2;
    const int groups = is_low ? 4 : element->order == 3 && layout->real_bytes == 4 ? 2 : 1;
    config->block = operator_is_host_form(info) ? 1 : groups * (WARP / problem->equation->fields);
    operator_config_derive(config, layout, info, problem, element);
    const bool is_crowded = layout->real_bytes == 4 && element->order == 3;
    config->resident = is_crowded ? 1024 : config->threads;
}

void operator_config_choose_form(operator_config *config, operator_form form,
                                 const operator_layout *layout, const sedge_device_info *info,
                                 const sedge_problem *problem, const sedge_element *element)
{
    memset(config, 0, sizeof *config);
    config->form = form;
    config->resident = 4096 / layout->real_bytes;
    if (form == FORM_SPARSE) {
        choose_sparse(config, layout, info, problem, element);
    } else if (form == FORM_TENSOR) {
        config->form = FORM_PLAIN; // the functions of dg_stage.h that both include have its numbers
        choose_gpu(config, layout, info, problem, element);
        config->form = FORM_TENSOR;
        choose_tensor(config, layout, info, problem, element);
    } else if (operator_is_host_form(info)) {
        choose_host(config, layout, info, problem, element);
    } else {
        choose_gpu(config, layout, info, problem, element);
    }
    operator_config_derive(config, layout, info, problem, element);
}

void operator_config_choose(operator_config *config, const operator_layout *layout,
                            const sedge_device_info *info, const sedge_problem *problem,
                            const sedge_element *element)
{
    const bool nodal = layout->basis == SEDGE_NODAL;

    if (nodal && sedge_device_has_matrix_units(info) && element->order >= TENSOR_SINCE &&
        operator_tensor_refusal(info, problem) == NULL) {
        operator_config_choose_form(config, FORM_TENSOR, layout, info, problem, element);
        if (operator_config_fits(config, info)) return;
    }
    operator_config_choose_form(config, nodal ? FORM_PLAIN : FORM_SPARSE, layout, info, problem,
                                element);
}

const char *operator_form_name(operator_form form)
{
    static const char *const names[] = {"fused", "tensor-curl", "bernstein"};

    return names[form];
}

void operator_config_name(char name[SEDGE_CONFIG_NAME], const operator_config *config,
                          const operator_layout *layout, const sedge_device_info *info)
{
    const char *const form = operator_form_name(config->form);

    if (config->form == FORM_SPARSE && operator_is_host_form(info)) {
        (void)snprintf(name, SEDGE_CONFIG_NAME, "bernstein sparse l%d", layout->lanes);
    } else if (config->form == FORM_SPARSE) {
        (void)snprintf(name, SEDGE_CONFIG_NAME, "bernstein sparse b%d w%d r%d p%d", config->block,
                       config->parts, config->resident, layout->nodes_padded);
    } else if (config->form == FORM_TENSOR) {
        (void)snprintf(name, SEDGE_CONFIG_NAME, "%s b%d g%d w%d r%d p%d", form, config->block,
                       config->groups, config->warps, config->resident, layout->nodes_padded);
    } else if (operator_is_host_form(info)) {
        (void)snprintf(name, SEDGE_CONFIG_NAME, "%s n%d,%d f%d,%d l%d", form, config->item_nodes,
                       config->lift_nodes, config->field_block, config->lift_block, layout->lanes);
    } else {
        (void)snprintf(name, SEDGE_CONFIG_NAME, "%s b%d n%d,%d r%d p%d", form, config->block,
                       config->item_nodes, config->lift_nodes, config->resident,
                       layout->nodes_padded);
    }
}
