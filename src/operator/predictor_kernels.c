#include "operator/predictor_kernels.h"

#include "dg/predictor.h"
#include "forms/bernstein_products.h"
#include "forms/constants.h"
#include "forms/series_products.h"
#include "layout/mesh_upload.h"
#include "operator/terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_PARTS   4
#define WARP         32    // threads
#define METRIC_WORDS 12    // of an element in the block's memory, as in dg_layout.h
#define REGISTERS    65536 // of a multiprocessor
#define SCHEDULERS   4     // of it
#define MOST_ITEMS   512   // of a block that predicts elements with terms
#define MOST_CURLED  60    // words of memory at a node whose curls are taken; see are_alike

// ---- configuration -----------------------------------------------------------------------------

// `words` filled up to an odd number of `unit` words: items with neighbouring elements then meet
// different banks of shared memory.
static int make_odd(int words, int unit)
{
    return ((words + unit - 1) / unit | 1) * unit;
}

static int count_nodes(int order)
{
    return order < 0 ? 0 : (order + 1) * (order + 2) * (order + 3) / 6;
}

// The configurations that are fastest on an H200 (benchmarks/MEASUREMENTS.md, "Other predictions by
// the tuner"), by order, in fp32 and fp64. At orders 9 and 10 few others were tried.
typedef struct series_row {
    int block, parts; // as in operator_series_config
    bool folds;
    int halves;  // of the blocks for which shared memory has room: how far ahead the L2 cache is
                 // asked
    int threads; // of a multiprocessor for which registers are limited; 0: of one block
} series_row;

static const series_row series_rows[2][SEDGE_ORDER_MAX + 1] = {
    {[1] = {16, 1, false, 0, 0},
     [2] = {16, 1, false, 0, 0},
     [3] = {4, 1, false, 0, 0},
     [4] = {4, 1, false, 0, 0},
     [5] = {8, 2, false, 1, 1024},
     [6] = {4, 1, false, 1, 0},
     [7] = {8, 1, false, 1, 0},
     [8] = {4, 2, false, 1, 0},
     [9] = {8, 4, true, 1, 0},
     [10] = {4, 4, true, 1, 0}},
    {[1] = {8, 1, false, 0, 1024},
     [2] = {4, 1, false, 0, 0},
     [3] = {8, 1, false, 0, 1024},
     [4] = {8, 1, false, 0, 0},
     [5] = {4, 1, false, 2, 0},
     [6] = {4, 4, true, 1, 0},
     [7] = {4, 4, true, 1, 0},
     [8] = {4, 4, true, 1, 0},
     [9] = {4, 4, true, 1, 0},
     [10] = {2, 4, true, 1, 0}},
};

static const series_row *find_row(const operator_layout *layout, const operator_target *target)
{
    return &series_rows[layout->real_bytes == 8][target->element->order];
}

// How many blocks ahead the L2 cache is asked for states: `halves` times half of the blocks, of
// `bytes` each, for which shared memory has room at once. 0: it is not asked.
static int count_ahead(int64_t bytes, int halves)
{
    return halves * OPERATOR_CHIP_MULTIPROCESSORS * operator_chip_blocks(bytes) / 2;
}

// Items and strides of a block on a GPU; `block` and `parts` are there. Returns its bytes.
static int64_t place_series(operator_series_config *config, const operator_layout *layout,
                            const operator_target *target)
{
    const int fields = target->problem->equation->fields;
    const int most = 64 / layout->real_bytes; // that shared memory serves at once
    const int state = layout->state_align / layout->real_bytes;
    // Neighbouring items have as many neighbouring coefficients as `most` over `block`.
    const int unit = config->block < most ? state * most / config->block : state;

    config->state_stride = layout->nodes_padded * fields;
    if (target->element->order > 1) {
        config->state_stride =
            make_odd(config->state_stride, unit < layout->pack ? layout->pack : unit);
    }
    config->stride = make_odd(config->words, unit);
    // Items of a warp have the same part.
    config->columns = operator_round_up(fields, WARP / config->block);
    config->places = config->columns * config->parts;
    config->threads = config->resident = config->block * config->places;
    config->scratch_words =
        config->block * ((int64_t)config->state_stride + METRIC_WORDS + config->stride);
    return config->scratch_words * layout->real_bytes;
}

// Limit registers so that as many of these threads run at once as shared memory has room for.
static void limit_registers(operator_series_config *config, int64_t bytes, int threads)
{
    const int wanted = threads / config->threads;
    const int fitting = operator_chip_blocks(bytes);
    const int blocks = wanted < fitting ? wanted : fitting;

    config->resident = config->threads * (blocks > 1 ? blocks : 1);
}

// The row's configuration, with fewer elements a block where this device has less memory.
static void choose_gpu(operator_series_config *config, const operator_layout *layout,
                       const operator_target *target, const series_row *row)
{
    const int64_t own = target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE;

    config->block = row->block;
    config->parts = row->parts;
    int64_t bytes = place_series(config, layout, target);
    while (bytes > own && config->block > 1) {
        config->block /= 2;
        bytes = place_series(config, layout, target);
    }
    limit_registers(config, bytes, row->threads);
    config->ahead = count_ahead(bytes, row->halves);
}

// The block's memory of elements with terms; what a batch has there of a kind is an odd multiple of
// `unit` words.
static void place_terms(operator_predictor_config *config, const operator_layout *layout,
                        const operator_target *target, int unit)
{
    const int fields = target->problem->equation->fields;
    const int lower = count_nodes(target->element->order - 1);
    const int least = count_nodes(target->element->order - 2);
    const int state = layout->pack > 1 ? layout->state_align / layout->real_bytes : 1;

    config->stride = make_odd(layout->nodes_padded * fields, unit);
    config->lower_stride = make_odd(lower * fields, unit);
    config->least_stride = make_odd(least * fields, unit);
    config->memory_stride = make_odd(layout->nodes_padded * config->words, unit);
    config->sum_words = operator_round_up(fields + config->words, state);
    config->sum_align = config->sum_words % layout->pack == 0 ? 16 : layout->state_align;
    config->sum_stride = make_odd(lower * config->sum_words, unit);
    // The means lie over derivatives and metric terms, without what fills up the last one; the last
    // 8 bytes are for the barrier of bulk copies. With a Lorentz pole at order 4 in fp64 four
    // blocks of this size just fit into a multiprocessor.
    const int64_t slopes =
        (int64_t)config->block * (config->lower_stride + config->least_stride + METRIC_WORDS);
    const int64_t means =
        (config->block - 1) * (int64_t)config->stride + (int64_t)layout->nodes_padded * fields;
    config->scratch_words =
        config->block * ((int64_t)config->sum_stride + config->stride + config->memory_stride) +
        (means > slopes ? means : slopes) + 8 / layout->real_bytes;
}

// A block has as many elements as were fastest on an H200, of 1 to 16 at orders 1 to 8 ("Four
// blocks with a Lorentz pole", benchmarks/MEASUREMENTS.md), or fewer, so that three blocks fit into
// a multiprocessor: while one waits, others compute. An item has one coefficient of order N - 1, or
// none, and two of order N at most.
static void choose_terms_gpu(operator_predictor_config *config, const operator_layout *layout,
                             const operator_target *target)
{
    const int order = target->element->order;
    const int nodes = count_nodes(order);
    const int lower = count_nodes(order - 1);
    const int state = layout->state_align / layout->real_bytes;
    const bool is_double = layout->real_bytes == 8;
    const int64_t own =
        target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE; // of this device
    const int64_t third = OPERATOR_CHIP_SHARED / 3 - OPERATOR_CHIP_SHARED_MORE;
    const int most = 64 / layout->real_bytes; // that shared memory serves at once

    config->block = order <= (is_double ? 1 : 2) ? 16 : order <= (is_double ? 4 : 5) ? 8 : 4;
    for (;; config->block /= 2) {
        // Neighbouring items have as many neighbouring coefficients as `most` over `block`.
        const int unit = state * most / config->block;
        place_terms(config, layout, target, unit < layout->pack ? layout->pack : unit);
        const int64_t bytes = config->scratch_words * layout->real_bytes;
        const bool fits = bytes <= (own < third ? own : third);
        if (config->block == 1 || (fits && config->block * nodes <= MOST_ITEMS)) break;
    }
    config->threads = config->block * (2 * lower > nodes ? lower : (nodes + 1) / 2);
    // As many warps as have the registers that the kernel takes without spills, or nearly so where
    // an element has many words of memory: four schedulers share them. More registers were slower
    // in fp32, and at most 1 % faster in fp64.
    const int more = order == 6 ? 12 : 0;
    const int wanted = is_double ? 84 + more + 2 * config->words : 44 + config->words;
    const int warps = SCHEDULERS * (REGISTERS / SCHEDULERS / WARP / operator_round_up(wanted, 8));
    const int of_block = (config->threads - 1) / WARP + 1;
    config->resident = config->threads * (warps > of_block ? warps / of_block : 1);
}

void operator_predictor_choose(operator_predictor_config *config, const operator_layout *layout,
                               const operator_target *target)
{
    const int order = target->element->order;
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];
    int at[SEDGE_MAX_KINDS];

    *config = (operator_predictor_config){
        .block = 1,
        .threads = 1,
        .damps = sedge_predictor_lowerings(order, weights) > 0,
        .words = sedge_predictor_words(at, target->problem),
    };
    // What is faster ("Derivatives gathered", benchmarks/MEASUREMENTS.md): to damp, generated code;
    // from some order on one matrix.
    config->dense = config->damps && order >= 7;
    if (operator_is_host_form(target->info)) {
        place_terms(config, layout, target, 1);
    } else {
        choose_terms_gpu(config, layout, target);
    }
}

bool operator_predicts_terms(const sedge_problem *problem)
{
    bool some = false;

    for (int v = 0; v < problem->volumes; v++)
        some |= !sedge_predictor_is_plain(problem, v) && !sedge_problem_varies(problem, v);
    return some && operator_terms_staged(problem);
}

static void place_nodes(operator_nodes_config *config, const operator_layout *layout,
                        const operator_target *target, int unit)
{
    const int fields = target->problem->equation->fields;

    config->stride = make_odd(layout->nodes_padded * fields, unit);
    config->lower_stride = make_odd(count_nodes(target->element->order - 1) * fields, unit);
    config->scratch_words = (int64_t)config->block * (3 * config->stride + config->lower_stride);
}

// A third of a multiprocessor's memory at most: while one block waits, others compute.
void operator_nodes_choose(operator_nodes_config *config, const operator_layout *layout,
                           const operator_target *target)
{
    const int nodes = target->element->nodes;
    const int state = layout->state_align / layout->real_bytes;
    const int64_t own = target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE;
    const int64_t third = OPERATOR_CHIP_SHARED / 3 - OPERATOR_CHIP_SHARED_MORE;
    const int most = 64 / layout->real_bytes; // that shared memory serves at once

    *config = (operator_nodes_config){.block = 1, .threads = 1};
    place_nodes(config, layout, target, 1);
    if (operator_is_host_form(target->info)) return;
    for (config->block = 16;; config->block /= 2) {
        const int unit = state * most / config->block;
        place_nodes(config, layout, target, unit < layout->pack ? layout->pack : unit);
        const int64_t bytes = config->scratch_words * layout->real_bytes;
        const bool fits = bytes <= (own < third ? own : third);
        if (config->block == 1 || (fits && config->block * nodes <= MOST_ITEMS)) break;
    }
    config->threads = config->block * nodes;
}

// What no block changes, for each way to sum.
static void count_series(operator_series_config *config, const operator_target *target, bool folds)
{
    const int order = target->element->order;
    const int fields = target->problem->equation->fields;
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];
    int table = SEDGE_FACE_MAPS * target->element->face_nodes; // as in dg_lower.h

    *config = (operator_series_config){.powers = sedge_predictor_terms(order, false)};
    for (int k = 1; k <= config->powers; k++) {
        config->nodes[k - 1] = count_nodes(order - k);
        config->at[k - 1] = config->words;
        config->table[k - 1] = table;
        config->words += config->nodes[k - 1] * fields;
        // Those of orders N - 1 and N - 2 lie behind the tables of dg_predictor.h.
        table += 4 * config->nodes[k - 1] + (k == 1 ? 8 * target->element->nodes : 0);
    }
    config->folds = config->powers == 3 && folds;
    config->lowers = config->folds && sedge_predictor_lowerings(order, weights) > 0;
    for (int k = 2; k <= config->powers && config->lowers; k++) {
        config->lowered[k - 1] = config->words;
        config->weights[k - 1] = table + 8 * config->nodes[0];
        config->words += config->nodes[k - 1] * fields;
        table += 4 * config->nodes[k - 1];
    }
    config->block = config->parts = config->places = 1;
    config->columns = fields;
    config->threads = config->resident = WARP;
    config->stride = config->words;
    config->scratch_words = config->words;
}

void operator_series_choose(operator_series_config *config, const operator_layout *layout,
                            const operator_target *target)
{
    const series_row *const row = find_row(layout, target);
    const int64_t most = target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE;

    count_series(config, target, false);
    if (operator_is_host_form(target->info)) return;
    count_series(config, target, row->folds);
    choose_gpu(config, layout, target, row);
    if (!config->folds || config->scratch_words * layout->real_bytes <= most) return;
    // Lowered powers take memory, which not every device has.
    count_series(config, target, false);
    choose_gpu(config, layout, target, row);
}

// ---- candidates of the tuner -------------------------------------------------------------------

// The nearest ones to the rule's, the first, as the list grows.
typedef struct series_list {
    operator_series_config *config;
    double distance[SEDGE_FAMILY_CANDIDATES];
    int count;
} series_list;

// By insertion; among equals those that were added first.
static void add_series(series_list *list, const operator_series_config *config, double distance)
{
    int at = list->count < SEDGE_FAMILY_CANDIDATES ? list->count++ : SEDGE_FAMILY_CANDIDATES;

    for (; at > 1 && distance < list->distance[at - 1]; at--) {
        if (at == SEDGE_FAMILY_CANDIDATES) continue; // the last one goes
        list->config[at] = list->config[at - 1];
        list->distance[at] = list->distance[at - 1];
    }
    if (at == SEDGE_FAMILY_CANDIDATES) return;
    list->config[at] = *config;
    list->distance[at] = distance;
}

// A block whose numbers are in `config`, in ways that its generated code does not depend on: with
// registers of one block, or limited for 1024 or 1536 threads, and asking ahead as far as none,
// half or all of the blocks go. Limits that no kernel comes to are left out.
static void add_block(series_list *list, operator_series_config *config, int64_t bytes,
                      bool is_double, const series_row *rule, double distance)
{
    int before = 0;

    for (int threads = 0; threads <= 1536; threads += threads == 0 ? 1024 : 512) {
        limit_registers(config, bytes, threads);
        if (config->resident == before) continue;
        if (threads > 0 && REGISTERS / config->resident > (is_double ? 120 : 72)) continue;
        before = config->resident;
        for (int halves = 0; halves <= 2; halves++) {
            const double change = abs(halves - rule->halves) + (threads != rule->threads);
            config->ahead = count_ahead(bytes, halves);
            if (distance + change > 0.0) add_series(list, config, distance + 0.5 * change);
        }
    }
}

int operator_series_list(operator_series_config list[SEDGE_FAMILY_CANDIDATES],
                         const operator_layout *layout, const operator_target *target)
{
    const int64_t most = target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE;
    series_list nearest = {.config = list, .count = 1};
    operator_series_config config;

    operator_series_choose(&list[0], layout, target);
    if (operator_is_host_form(target->info)) return 1; // it has no threads
    for (int folds = 0; folds <= (list[0].powers == 3); folds++) {
        for (int block = 1; block <= WARP; block *= 2) {
            for (int parts = 1; parts <= MOST_PARTS; parts *= 2) {
                count_series(&config, target, folds == 1);
                config.block = block;
                config.parts = parts;
                const int64_t bytes = place_series(&config, layout, target);
                if (bytes > most || config.threads > target->info->threads_block) continue;
                add_block(&nearest, &config, bytes, layout->real_bytes == 8,
                          find_row(layout, target),
                          fabs(log2((double)block / list[0].block)) +
                              fabs(log2((double)parts / list[0].parts)) +
                              (config.folds != list[0].folds));
            }
        }
    }
    return nearest.count;
}

void operator_series_name(char name[SEDGE_CONFIG_NAME], const operator_series_config *config)
{
    (void)snprintf(name, SEDGE_CONFIG_NAME, "prediction b%d p%d f%d a%d r%d", config->block,
                   config->parts, config->folds, config->ahead, config->resident / config->threads);
}

// ---- texts -------------------------------------------------------------------------------------

int64_t operator_series_table_entries(const operator_target *target)
{
    const int order = target->element->order;

    if (!target->problem->integrator->predictor) return 0;
    return 8 * ((int64_t)count_nodes(order - 2) + count_nodes(order - 3)) +
           8 * (int64_t)count_nodes(order - 1);
}

void operator_series_fill_table(int16_t *out, const operator_target *target)
{
    const int order = target->element->order;

    if (!target->problem->integrator->predictor) return;
    operator_bernstein_simplices(out, order - 1);
    out += 4 * (int64_t)count_nodes(order - 2);
    operator_bernstein_simplices(out, order - 2);
    out += 4 * (int64_t)count_nodes(order - 3);
    operator_bernstein_raised(out, order - 1);
    out += 8 * (int64_t)count_nodes(order - 1);
    operator_bernstein_lowered(out, order - 2);
    operator_bernstein_lowered(out + 4 * (int64_t)count_nodes(order - 2), order - 3);
}

static sedge_status write_doubles(sedge_text *text, const char *name, const double *values,
                                  int count)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s", name));
    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_text_add(text, " %a,", values[i]));
    return sedge_text_add(text, "\n");
}

static sedge_status write_series_constants(sedge_text *text, const operator_series_config *config,
                                           int order)
{
    const operator_constant rows[] = {
        {"SERIES", config->powers},
        {"SERIES_BLOCK", config->block},
        {"SERIES_AHEAD", config->ahead},
        {"SERIES_PARTS", config->parts},
        {"SERIES_COLUMNS", config->columns},
        {"SERIES_PLACES", config->places},
        {"SERIES_THREADS", config->threads},
        {"SERIES_RESIDENT", config->resident},
        {"SERIES_FOLDS", config->folds},
        {"SERIES_LOWERS", config->lowers},
        {"SERIES_STATE_STRIDE", config->state_stride},
        {"SERIES_STRIDE", config->stride},
        {"SERIES_SCRATCH", (int)config->scratch_words},
    };
    SEDGE_TRY(operator_constants_write(text, rows, sizeof rows / sizeof rows[0]));
    for (int k = 1; k <= config->powers; k++) {
        const double factor = -0.5 * (order - k + 1) * sedge_predictor_factor(order, k);
        if (config->lowers && k > 1) {
            SEDGE_TRY(sedge_text_add(text,
                                     "#define SEDGE_SERIES_LOWERED_%d %d\n"
                                     "#define SEDGE_SERIES_WEIGHTS_%d %d\n"
                                     "#define SEDGE_SERIES_SHARE_%d SEDGE_R(%a)\n",
                                     k, config->lowered[k - 1], k, config->weights[k - 1], k,
                                     1.0 / (order - k + 4)));
        }
        SEDGE_TRY(sedge_text_add(text,
                                 "#define SEDGE_SERIES_NODES_%d %d\n"
                                 "#define SEDGE_SERIES_AT_%d %d\n"
                                 "#define SEDGE_SERIES_TABLE_%d %d\n"
                                 "#define SEDGE_SERIES_FACTOR_%d SEDGE_R(%a)\n",
                                 k, config->nodes[k - 1], k, config->at[k - 1], k,
                                 config->table[k - 1], k, factor));
    }
    return SEDGE_OK;
}

// Do all terms act on the three components of a vector alike, and is the flux of curls? Not where
// terms have many words of memory: with 60 (10 Lorentz poles) the kernel for sm_90 at order 3 in
// fp32 has a tenth fewer instructions by curls of memory, with 144 (24) a third more accesses to
// what does not fit into registers.
static bool are_alike(const sedge_problem *problem, int words)
{
    bool alike =
        problem->equation->curls && !sedge_problem_has_source(problem, -1) && words <= MOST_CURLED;

    for (int i = 0; i < problem->term_count; i++)
        alike &= problem->terms[i].kind->field_triple % 3 == 1;
    return alike;
}

sedge_status operator_predictor_constants(sedge_text *text, const operator_layout *layout,
                                          const operator_target *target,
                                          const operator_series_config *series)
{
    operator_series_config rule;
    double points[SEDGE_PREDICTOR_TIMES] = {0.0};
    double weights[SEDGE_PREDICTOR_TIMES] = {1.0};
    operator_predictor_config config;
    operator_nodes_config nodes;
    int times = 1;

    if (target->problem->integrator->predictor)
        times = sedge_predictor_times(target->element->order, points, weights);
    const operator_constant counts[] = {
        {"TIMES", times}, {"SERIES_ENTRIES", (int)operator_series_table_entries(target)}};
    SEDGE_TRY(operator_constants_write(text, counts, 2));
    SEDGE_TRY(write_doubles(text, "SEDGE_TIME_POINTS", points, times));
    SEDGE_TRY(write_doubles(text, "SEDGE_TIME_WEIGHTS", weights, times));
    if (!target->problem->integrator->predictor) return SEDGE_OK;
    operator_series_choose(&rule, layout, target);
    SEDGE_TRY(
        write_series_constants(text, series != NULL ? series : &rule, target->element->order));
    operator_predictor_choose(&config, layout, target);
    const int order = target->element->order;
    const int least_at = SEDGE_FACE_MAPS * target->element->face_nodes +
                         4 * count_nodes(order - 1) + 8 * target->element->nodes;
    for (int k = 1; k <= SEDGE_PREDICTOR_POWERS; k++) {
        SEDGE_TRY(sedge_text_add(text, "#define SEDGE_PREDICT_FACTOR_%d SEDGE_R(%a)\n", k,
                                 sedge_predictor_factor(order, k)));
    }
    const operator_constant rows[] = {
        {"LOWER_NODES", count_nodes(order - 1)},
        {"LEAST_NODES", count_nodes(order - 2)},
        {"LEAST_AT", least_at},
        {"LOWER_RAISED_AT", least_at + 4 * (count_nodes(order - 2) + count_nodes(order - 3))},
        {"PREDICT_BLOCK", config.block},
        {"PREDICT_THREADS", config.threads},
        {"PREDICT_RESIDENT", config.resident},
        {"PREDICT_AHEAD", count_ahead(config.scratch_words * layout->real_bytes, 1)},
        {"PREDICT_POWERS", sedge_predictor_terms(order, true)},
        {"PREDICT_WORDS", config.words},
        {"PREDICT_DAMPED", config.damps},
        {"PREDICT_ALIKE", are_alike(target->problem, config.words)},
        {"PREDICT_DENSE", config.dense},
        {"DAMP_ROWS", OPERATOR_DAMP_ROWS},
        {"PREDICT_STRIDE", config.stride},
        {"PREDICT_LOWER_STRIDE", config.lower_stride},
        {"PREDICT_LEAST_STRIDE", config.least_stride},
        {"PREDICT_MEMORY_STRIDE", config.memory_stride},
        {"PREDICT_SUM_WORDS", config.sum_words},
        {"PREDICT_SUM_STRIDE", config.sum_stride},
        {"PREDICT_SUM_ALIGN", config.sum_align},
        {"PREDICT_SCRATCH", (int)config.scratch_words},
        {"PREDICTS_TERMS", operator_predicts_terms(target->problem)},
        {"PREDICTS_NODES", sedge_problem_varies(target->problem, -1)},
    };
    SEDGE_TRY(operator_constants_write(text, rows, sizeof rows / sizeof rows[0]));
    if (!sedge_problem_varies(target->problem, -1)) return SEDGE_OK;
    operator_nodes_choose(&nodes, layout, target);
    const operator_constant more[] = {
        {"NODES_BLOCK", nodes.block},
        {"NODES_THREADS", nodes.threads},
        {"NODES_STRIDE", nodes.stride},
        {"NODES_LOWER_STRIDE", nodes.lower_stride},
        {"NODES_SCRATCH", (int)nodes.scratch_words},
    };
    return operator_constants_write(text, more, sizeof more / sizeof more[0]);
}

// Does a block of one element fit into the device's memory for it?
static sedge_status check_block_memory(const operator_predictor_config *config,
                                       const operator_layout *layout, const operator_target *target)
{
    operator_nodes_config nodes = {.scratch_words = 0};
    int64_t words = operator_predicts_terms(target->problem) ? config->scratch_words : 0;

    if (sedge_problem_varies(target->problem, -1)) operator_nodes_choose(&nodes, layout, target);
    if (words < nodes.scratch_words) words = nodes.scratch_words;
    const int64_t bytes = words * layout->real_bytes;
    const int64_t most = target->info->shared_bytes_block - OPERATOR_CHIP_SHARED_MORE;

    if (operator_is_host_form(target->info) || bytes <= most) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the integrator '%s' needs %lld bytes of a block's memory at order %d for %d "
                      "numbers of materials' memory a node, and this device has %lld: choose "
                      "time.integrator: lsrk45, a lower order, or fewer poles",
                      target->problem->integrator->name, (long long)bytes, target->element->order,
                      config->words, (long long)most);
}

sedge_status operator_predictor_write(sedge_text *text, const operator_layout *layout,
                                      const operator_target *target,
                                      const operator_series_config *series, bool terms)
{
    const int order = target->element->order;
    const int fields = target->problem->equation->fields;
    operator_predictor_config config;

    if (!target->problem->integrator->predictor) return SEDGE_OK;
    SEDGE_TRY(
        operator_series_write(text, order, fields, series->powers, series->parts, series->folds));
    if (!terms || !operator_terms_staged(target->problem)) return SEDGE_OK;
    operator_predictor_choose(&config, layout, target);
    SEDGE_TRY(check_block_memory(&config, layout, target));
    if (!config.damps || config.dense) return SEDGE_OK;
    return operator_series_write_damping(text, "predict_damped", order, fields, config.sum_words);
}
