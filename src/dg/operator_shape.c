#include "dg/operator_internal.h"

#include <string.h>

static int round_up(int value, int multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

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
        if (round_up(nodes, n) < round_up(nodes, best)) best = n;
    return best;
}

// A block of the host is a vector register of elements; in random order it is a GPU's.
static bool is_host_form(const sedge_device_info *info)
{
    return info->kind == SEDGE_DEVICE_HOST && !info->random_order;
}

// The largest divisor of `fields` that is at most `most`.
static int choose_divisor(int fields, int most)
{
    for (int n = most; n > 1; n--)
        if (fields % n == 0) return n;
    return 1;
}

// Words of `count` words filled up to an odd number of packs.
static int64_t stride(const operator_shape *shape, int64_t count)
{
    return (count / shape->pack | 1) * shape->pack;
}

// Words of the block's memory: SEDGE_SCRATCH_WORDS of dg_stage.h.
static int64_t scratch_words(const operator_shape *shape, const sedge_problem *problem,
                             const sedge_element *element, bool host)
{
    const int fields = problem->equation->fields;
    const int64_t words = (int64_t)shape->nodes_padded * fields;
    const int64_t surface = stride(shape, (int64_t)SEDGE_FACES * element->face_nodes * fields);
    const int64_t states = host ? 0 : SEDGE_GEOMETRY_WORDS + 2 * stride(shape, words);
    const int64_t fluxes = problem->equation->linear ? 0 : 3 * words;

    return shape->block * (states + (shape->fused ? surface + fluxes : largest(surface, fluxes)));
}

static void derive(operator_shape *shape, const sedge_device_info *info,
                   const sedge_problem *problem, const sedge_element *element)
{
    const int fields = problem->equation->fields;
    const bool host = is_host_form(info);
    const int quad = 16 / shape->real_bytes; // numbers of a vector load

    shape->pack = host ? 1 : quad;
    shape->group = 1;
    while (shape->group * fields % shape->pack != 0) shape->group *= 2;
    shape->nodes_padded = round_up(element->nodes, shape->group);
    shape->tiles = (element->nodes + shape->item_nodes - 1) / shape->item_nodes;
    shape->threads = round_up(shape->block * shape->tiles, 32);
    shape->deriv_width = round_up(3 * shape->item_nodes * shape->group, quad);
    shape->lift_tiles = (element->nodes + shape->lift_nodes - 1) / shape->lift_nodes;
    shape->lift_width = round_up(shape->lift_nodes * shape->group, quad);
    shape->state_align = alignment_of(fields * shape->real_bytes);
    shape->scratch_words = scratch_words(shape, problem, element, host);
    shape->scratch_bytes = shape->scratch_words * shape->real_bytes * shape->lanes;
}

// The host: a value is a vector register, a tile as many nodes as fill the others.
static void choose_host(operator_shape *shape, const sedge_device_info *info,
                        const sedge_problem *problem, const sedge_element *element)
{
    const bool wide = info->vector_bytes >= 64; // 32 registers, else 16

    shape->lanes = info->vector_bytes / shape->real_bytes;
    shape->block = 1;
    shape->item_nodes = choose_tile(element->nodes, wide ? 4 : 2, wide ? 8 : 4);
    shape->lift_nodes = shape->item_nodes;
    shape->field_block = 1;
    shape->lift_block = choose_divisor(problem->equation->fields, 3);
}

// GPUs: elements a block and nodes a lift item by order, two nodes a volume item throughout; the
// best of a sweep with six fields on an H200 (benchmarks/README.md). The tuner will replace this
// table.
static const struct {
    int block, lift_nodes;
} gpu_cuts[2][SEDGE_ORDER_MAX + 1] = {
    {{0, 0}, {32, 2}, {32, 2}, {24, 4}, {8, 4}, {4, 4}, {2, 2}, {2, 4}, {2, 2}, {2, 2}, {2, 2}},
    {{0, 0}, {16, 4}, {8, 4}, {16, 4}, {8, 4}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}, {2, 2}},
};

static void choose_gpu(operator_shape *shape, const sedge_device_info *info,
                       const sedge_problem *problem, const sedge_element *element)
{
    const bool is_double = shape->real_bytes == 8;

    shape->lanes = 1;
    shape->field_block = problem->equation->fields;
    shape->lift_block = problem->equation->fields;
    shape->item_nodes = 2;
    shape->lift_nodes = gpu_cuts[is_double][element->order].lift_nodes;
    shape->block = gpu_cuts[is_double][element->order].block;
    derive(shape, info, problem, element);
    while (shape->block > 1 && (shape->scratch_bytes > info->shared_bytes_block ||
                                shape->threads > info->threads_block)) {
        shape->block /= 2;
        derive(shape, info, problem, element);
    }
}

static sedge_status apply_wishes(operator_shape *shape, const sedge_device_info *info,
                                 const sedge_problem *problem, const sedge_element *element,
                                 const sedge_operator_options *options)
{
    const int fields = problem->equation->fields;
    const bool host = is_host_form(info);

    if (options->item_nodes > 0) shape->item_nodes = options->item_nodes;
    if (options->lift_nodes > 0) shape->lift_nodes = options->lift_nodes;
    if (options->item_fields > 0 && host) shape->field_block = options->item_fields;
    if (options->block_elements > 0 && !host) shape->block = options->block_elements;
    derive(shape, info, problem, element);
    shape->item_nodes = round_up(shape->item_nodes, shape->group);
    shape->lift_nodes = round_up(shape->lift_nodes, shape->group);
    derive(shape, info, problem, element);
    if (fields % shape->field_block != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.item_fields %d does not divide the %d fields of %s",
                          shape->field_block, fields, problem->equation->name);
    }
    if (!host &&
        (shape->threads > info->threads_block || shape->scratch_bytes > info->shared_bytes_block)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels: block_elements %d and item_nodes %d need %d threads and %lld "
                          "bytes of shared memory a block; at most %d and %lld are possible",
                          shape->block, shape->item_nodes, shape->threads,
                          (long long)shape->scratch_bytes, info->threads_block,
                          (long long)info->shared_bytes_block);
    }
    return SEDGE_OK;
}

// "fused" or "split"; NULL and "auto": fused.
static sedge_status choose_variant(operator_shape *shape, const char *variant)
{
    shape->fused = variant == NULL || strcmp(variant, "auto") == 0 || strcmp(variant, "fused") == 0;
    if (shape->fused || strcmp(variant, "split") == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels.variant '%s' is not known; auto, fused and split are", variant);
}

sedge_status operator_shape_choose(operator_shape *shape, const sedge_device_info *info,
                                   const sedge_problem *problem, const sedge_element *element,
                                   const sedge_operator_options *options)
{
    memset(shape, 0, sizeof *shape);
    shape->real_bytes = problem->precision == SEDGE_FP64 ? 8 : 4;
    SEDGE_TRY(choose_variant(shape, options->variant));
    if (is_host_form(info)) {
        choose_host(shape, info, problem, element);
    } else {
        choose_gpu(shape, info, problem, element);
    }
    return apply_wishes(shape, info, problem, element, options);
}

static sedge_status write_list(sedge_text *text, const char *name, const double *values, int count)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s", name));
    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_text_add(text, " %a,", values[i]));
    return sedge_text_add(text, "\n");
}

static bool any_source(const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    if (equation->source == NULL) return false;
    if (equation->has_source == NULL) return true;
    for (int i = 0; i < problem->volumes; i++)
        if (equation->has_source(problem->materials[i])) return true;
    return false;
}

// A row for each boundary function in use; the number is the kind's index in the equation's table.
static sedge_status write_boundaries(sedge_text *text, const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    SEDGE_TRY(sedge_text_add(text,
                             "#define SEDGE_BOUNDARY_VALUES %d\n#define SEDGE_BOUNDARY_CASES(X)",
                             SEDGE_MAX_VALUES));
    for (int k = 0; k < equation->boundary_count; k++) {
        bool used = false;
        for (int i = 0; i < problem->surfaces; i++)
            used = used || problem->boundaries[i].kind == &equation->boundaries[k];
        if (used)
            SEDGE_TRY(sedge_text_add(text, " X(%d, %s)", k, equation->boundaries[k].function));
    }
    return sedge_text_add(text, "\n");
}

static sedge_status write_sizes(sedge_text *text, const operator_shape *shape,
                                const sedge_problem *problem, const sedge_element *element)
{
    const struct {
        const char *name;
        int value;
    } rows[] = {
        {"FP64", problem->precision == SEDGE_FP64},
        {"ORDER", element->order},
        {"FIELDS", problem->equation->fields},
        {"NODES", element->nodes},
        {"FACE_NODES", element->face_nodes},
        {"LINEAR", problem->equation->linear},
        {"FUSED", shape->fused},
        {"HAS_SOURCE", any_source(problem)},
        {"MATERIALS", problem->volumes},
        {"MATERIAL_VALUES", problem->equation->material_values},
        {"CONSTANTS", problem->equation->constant_count},
        {"LANES", shape->lanes},
        {"BLOCK", shape->block},
        {"TN", shape->item_nodes},
        {"RESIDENT", 4096 / shape->real_bytes},
        {"LIFT_TN", shape->lift_nodes},
        {"THREADS", shape->threads},
        {"FIELD_BLOCK", shape->field_block},
        {"LIFT_BLOCK", shape->lift_block},
        {"PACK", shape->pack},
        {"GROUP", shape->group},
        {"NODES_PADDED", shape->nodes_padded},
        {"DERIV_WIDTH", shape->deriv_width},
        {"LIFT_WIDTH", shape->lift_width},
        {"SCRATCH_WORDS", (int)shape->scratch_words},
        {"STATE_ALIGN", shape->state_align},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_%s %d\n", rows[i].name, rows[i].value));
    return SEDGE_OK;
}

sedge_status operator_constants_write(sedge_text *text, const operator_shape *shape,
                                      const sedge_problem *problem, const sedge_element *element)
{
    const sedge_equation *const equation = problem->equation;

    SEDGE_TRY(write_sizes(text, shape, problem, element));
    SEDGE_TRY(
        write_list(text, "SEDGE_CONSTANT_LIST", problem->constants, equation->constant_count));
    // One material is part of the program; several are read by number.
    SEDGE_TRY(write_list(text, "SEDGE_MATERIAL_LIST", problem->materials[0],
                         problem->volumes == 1 ? equation->material_values : 0));
    SEDGE_TRY(sedge_text_add(text,
                             "#define SEDGE_FLUX %s_flux\n#define SEDGE_SURFACE %s_surface\n"
                             "#define SEDGE_SOURCE %s_source\n",
                             equation->name, equation->name, equation->name));
    return write_boundaries(text, problem);
}
