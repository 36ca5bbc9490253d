#include "operator/operator_internal.h"

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

// ---- cuts --------------------------------------------------------------------------------------

// Words of `count` words filled up to an odd number of packs.
static int64_t stride(const operator_layout *layout, int64_t count)
{
    return (count / layout->pack | 1) * layout->pack;
}

// Words of the block's memory: SEDGE_SCRATCH_WORDS of dg_stage.h.
static int64_t scratch_words(const operator_cut *cut, const operator_layout *layout,
                             const sedge_problem *problem, const sedge_element *element, bool host)
{
    const int fields = problem->equation->fields;
    const int64_t words = (int64_t)layout->nodes_padded * fields;
    const int64_t points = SEDGE_FACES * (int64_t)element->face_nodes;
    const int64_t surface = stride(layout, points * fields);
    const int64_t states = host ? 0 : SEDGE_GEOMETRY_WORDS + 2 * stride(layout, words);
    const int64_t fluxes = problem->equation->linear ? 0 : 3 * words;

    return cut->block * (states + surface + fluxes);
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
static void derive_sparse(operator_cut *cut, const operator_layout *layout,
                          const sedge_problem *problem, const sedge_element *element, bool host)
{
    const int fields = problem->equation->fields;
    const int points = SEDGE_FACES * element->face_nodes;
    const int lower = element->nodes - element->face_nodes; // nodes of order N - 1
    const int64_t words = (int64_t)layout->nodes_padded * fields;

    cut->tiles = cut->lift_tiles = element->nodes;
    cut->deriv_width = cut->lift_width = 16 / layout->real_bytes;
    if (host) {
        cut->threads = WARP;
        cut->scratch_words = (int64_t)(points + lower + element->nodes) * fields;
        cut->scratch_bytes = cut->scratch_words * layout->real_bytes * layout->lanes;
        return;
    }
    cut->group_elements = WARP / fields;
    cut->block = operator_round_up(cut->block, cut->group_elements);
    cut->threads = cut->block / cut->group_elements * cut->parts * WARP;
    cut->shared_sums = has_shared_sums(layout, element);
    cut->jump_stride =
        spread((points > element->nodes ? points : element->nodes) * fields, layout, fields);
    cut->lower_stride =
        spread((cut->shared_sums ? element->nodes : lower) * fields, layout, fields);
    cut->scratch_words =
        cut->block * (words + SEDGE_GEOMETRY_WORDS + cut->jump_stride + cut->lower_stride);
    cut->scratch_bytes = cut->scratch_words * layout->real_bytes;
    const int64_t blocks = SHARED_BYTES / (cut->scratch_bytes + SHARED_MORE);
    cut->ahead = SEDGE_MULTIPROCESSORS * (int)(blocks < 1 ? 1 : blocks > 32 ? 32 : blocks);
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

static void derive_tensor(operator_cut *cut, const operator_layout *layout,
                          const sedge_problem *problem, const sedge_element *element)
{
    const int fields = problem->equation->fields;
    const int points = SEDGE_FACES * element->face_nodes;

    cut->tiles = (element->nodes + 7) / 8;
    cut->lift_tiles = cut->tiles;
    cut->threads = 32 * cut->warps;
    cut->deriv_width = 3 * 32 * layout->pack;
    cut->lift_width = 32 * layout->pack;
    cut->stride = choose_stride(layout, fields, cut->tiles);
    cut->face_stride = choose_stride(layout, fields, (points + 7) / 8);
    cut->scratch_words =
        (int64_t)cut->block * (SEDGE_GEOMETRY_WORDS + cut->stride + cut->face_stride);
    cut->scratch_bytes = cut->scratch_words * layout->real_bytes;
}

// Of a block's pieces - 8 nodes of a warp's elements - each warp takes `rounds`.
static int choose_warps(const operator_cut *cut, const sedge_element *element, int rounds)
{
    const int pieces = (element->nodes + 7) / 8 * cut->block / (8 * cut->groups);

    return (pieces + rounds - 1) / rounds;
}

// Orders and rounds as an H200 has them fastest with six fields (benchmarks/README.md).
static void choose_tensor(operator_cut *cut, const operator_layout *layout,
                          const sedge_device_info *info, const sedge_problem *problem,
                          const sedge_element *element)
{
    const int least = element->order < 6 ? 1 : element->order < 10 ? 2 : 3; // rounds

    cut->groups = 1;
    cut->block = 8;
    cut->resident = 512;
    for (int rounds = least; rounds == least || cut->threads > 512; rounds++) {
        cut->warps = choose_warps(cut, element, rounds);
        operator_cut_derive(cut, layout, info, problem, element);
    }
}

// ---- what follows ------------------------------------------------------------------------------

void operator_cut_derive(operator_cut *cut, const operator_layout *layout,
                         const sedge_device_info *info, const sedge_problem *problem,
                         const sedge_element *element)
{
    if (cut->form == FORM_TENSOR) {
        derive_tensor(cut, layout, problem, element);
        return;
    }

    const bool host = operator_is_host_form(info);
    const int quad = 16 / layout->real_bytes; // numbers of a vector load

    if (cut->form == FORM_SPARSE) {
        derive_sparse(cut, layout, problem, element, host);
        return;
    }

    cut->tiles = (element->nodes + cut->item_nodes - 1) / cut->item_nodes;
    cut->lift_tiles = (element->nodes + cut->lift_nodes - 1) / cut->lift_nodes;
    cut->threads = operator_round_up(cut->block * cut->tiles, 32);
    cut->deriv_width = operator_round_up(3 * cut->item_nodes * layout->group, quad);
    cut->lift_width = operator_round_up(cut->lift_nodes * layout->group, quad);
    cut->scratch_words = scratch_words(cut, layout, problem, element, host);
    cut->scratch_bytes = cut->scratch_words * layout->real_bytes * layout->lanes;
}

bool operator_cut_fits(const operator_cut *cut, const sedge_device_info *info)
{
    if (operator_is_host_form(info)) return true;
    return cut->threads <= info->threads_block && cut->scratch_bytes <= info->shared_bytes_block;
}

// A tile has as many nodes as fill the registers that the other values leave.
static void choose_host(operator_cut *cut, const operator_layout *layout,
                        const sedge_device_info *info, const sedge_problem *problem,
                        const sedge_element *element)
{
    const int registers = info->vector_bytes >= 64 ? 32 : 16;
    const int each = layout->lanes * layout->real_bytes > info->vector_bytes ? 2 : 1;
    const int most = registers / 4 / each;

    cut->block = 1;
    cut->item_nodes = choose_tile(element->nodes, most / 2, most);
    cut->lift_nodes = cut->item_nodes;
    cut->field_block = 1;
    cut->lift_block = choose_divisor(problem->equation->fields, 3);
}

// GPUs: elements a block and nodes a lift item by order, two nodes a volume item throughout; the
// best of a sweep with six fields on an H200 (benchmarks/README.md).
static const struct {
    int block, lift_nodes;
} gpu_cuts[2][SEDGE_ORDER_MAX + 1] = {
    {{0, 0}, {32, 2}, {32, 2}, {24, 4}, {8, 4}, {4, 4}, {2, 2}, {2, 4}, {2, 2}, {2, 2}, {2, 2}},
    {{0, 0}, {16, 4}, {8, 4}, {16, 4}, {8, 4}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}},
};

static void choose_gpu(operator_cut *cut, const operator_layout *layout,
                       const sedge_device_info *info, const sedge_problem *problem,
                       const sedge_element *element)
{
    const bool is_double = layout->real_bytes == 8;

    cut->field_block = problem->equation->fields;
    cut->lift_block = problem->equation->fields;
    cut->item_nodes = 2;
    cut->lift_nodes = gpu_cuts[is_double][element->order].lift_nodes;
    cut->block = gpu_cuts[is_double][element->order].block;
    cut->item_nodes = operator_round_up(cut->item_nodes, layout->group);
    cut->lift_nodes = operator_round_up(cut->lift_nodes, layout->group);
    operator_cut_derive(cut, layout, info, problem, element);
    while (cut->block > 1 && !operator_cut_fits(cut, info)) {
        cut->block /= 2;
        operator_cut_derive(cut, layout, info, problem, element);
    }
}

// One warp a group at low orders, where there are enough of them; groups a block as an H200 has
// them fastest (benchmarks/README.md); registers as many as it takes, but where eight blocks win.
static void choose_sparse(operator_cut *cut, const operator_layout *layout,
                          const sedge_device_info *info, const sedge_problem *problem,
                          const sedge_element *element)
{
    const bool is_low = element->order + (layout->real_bytes == 8) <= 2;

    cut->item_nodes = cut->lift_nodes = layout->group;
    cut->field_block = cut->lift_block = problem->equation->fields;
    cut->parts = is_low ? 1 : 2;
    const int groups = is_low ? 4 : element->order == 3 && layout->real_bytes == 4 ? 2 : 1;
    cut->block = operator_is_host_form(info) ? 1 : groups * (WARP / problem->equation->fields);
    operator_cut_derive(cut, layout, info, problem, element);
    const bool is_crowded = layout->real_bytes == 4 && element->order == 3;
    cut->resident = is_crowded ? 1024 : cut->threads;
}

void operator_cut_choose_form(operator_cut *cut, operator_form form, const operator_layout *layout,
                              const sedge_device_info *info, const sedge_problem *problem,
                              const sedge_element *element)
{
    memset(cut, 0, sizeof *cut);
    cut->form = form;
    cut->resident = 4096 / layout->real_bytes;
    if (form == FORM_SPARSE) {
        choose_sparse(cut, layout, info, problem, element);
    } else if (form == FORM_TENSOR) {
        cut->form = FORM_PLAIN; // the functions of dg_stage.h that both include have its numbers
        choose_gpu(cut, layout, info, problem, element);
        cut->form = FORM_TENSOR;
        choose_tensor(cut, layout, info, problem, element);
    } else if (operator_is_host_form(info)) {
        choose_host(cut, layout, info, problem, element);
    } else {
        choose_gpu(cut, layout, info, problem, element);
    }
    operator_cut_derive(cut, layout, info, problem, element);
}

void operator_cut_choose(operator_cut *cut, const operator_layout *layout,
                         const sedge_device_info *info, const sedge_problem *problem,
                         const sedge_element *element)
{
    const bool nodal = layout->basis == SEDGE_NODAL;

    if (nodal && sedge_device_has_matrix_units(info) && element->order >= TENSOR_SINCE &&
        operator_tensor_refusal(info, problem) == NULL) {
        operator_cut_choose_form(cut, FORM_TENSOR, layout, info, problem, element);
        if (operator_cut_fits(cut, info)) return;
    }
    operator_cut_choose_form(cut, nodal ? FORM_PLAIN : FORM_SPARSE, layout, info, problem, element);
}

const char *operator_form_name(operator_form form)
{
    static const char *const names[] = {"fused", "tensor-curl", "bernstein"};

    return names[form];
}

void operator_cut_name(char name[SEDGE_CUT_NAME], const operator_cut *cut,
                       const operator_layout *layout, const sedge_device_info *info)
{
    const char *const form = operator_form_name(cut->form);

    if (cut->form == FORM_SPARSE && operator_is_host_form(info)) {
        (void)snprintf(name, SEDGE_CUT_NAME, "bernstein sparse l%d", layout->lanes);
    } else if (cut->form == FORM_SPARSE) {
        (void)snprintf(name, SEDGE_CUT_NAME, "bernstein sparse b%d w%d r%d p%d", cut->block,
                       cut->parts, cut->resident, layout->nodes_padded);
    } else if (cut->form == FORM_TENSOR) {
        (void)snprintf(name, SEDGE_CUT_NAME, "%s b%d g%d w%d r%d p%d", form, cut->block,
                       cut->groups, cut->warps, cut->resident, layout->nodes_padded);
    } else if (operator_is_host_form(info)) {
        (void)snprintf(name, SEDGE_CUT_NAME, "%s n%d,%d f%d,%d l%d", form, cut->item_nodes,
                       cut->lift_nodes, cut->field_block, cut->lift_block, layout->lanes);
    } else {
        (void)snprintf(name, SEDGE_CUT_NAME, "%s b%d n%d,%d r%d p%d", form, cut->block,
                       cut->item_nodes, cut->lift_nodes, cut->resident, layout->nodes_padded);
    }
}
