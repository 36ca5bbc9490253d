#include "operator/operator_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_CUDA  65536 // of a multiprocessor
#define LEAST_REGISTERS 20    // of a thread, for addresses and counters
#define ITEMS_HOST      8     // nodes of a tile on the host, at most
#define NEAR            2.0   // is what is rated below it
#define FORMS           (FORM_SPARSE + 1)
#define ROOM            2048 // candidates of a layout; when it is full, the far ones are dropped

// What the lists below are made with.
typedef struct lister {
    operator_choices *choices;
    const sedge_device_info *info;
    const sedge_problem *problem;
    const sedge_element *element;
    const operator_layout *layout;
    operator_config rule; // of this layout
    int first;            // candidate of this layout
    int ruled;            // candidates that are the rule's: 1, or 0 where it does not fit
} lister;

// ---- model -------------------------------------------------------------------------------------

static int largest(int a, int b)
{
    return a > b ? a : b;
}

// Part of the work that a list of `count` wastes when it is divided into pieces of `size`.
static double waste(int count, int size)
{
    const int filled = (count + size - 1) / size * size;

    return (double)filled / count - 1.0;
}

static double distance(int a, int b)
{
    return fabs(log2((double)a / b));
}

// Registers of a thread, or vector registers of the host, that the inner loops keep busy: sums,
// what they are made from, and on a GPU the neighbours' traces.
static int count_registers(const lister *list, const operator_config *config)
{
    const operator_layout *const layout = list->layout;
    const int fields = list->problem->equation->fields;
    const int points = SEDGE_FACES * list->element->face_nodes;
    const int sums = 3;

    if (config->form == FORM_SPARSE && config->shared_sums) return 255;
    if (config->form == FORM_SPARSE) {
        return LEAST_REGISTERS +
               layout->real_bytes / 4 * (list->element->nodes + 2 * list->element->face_nodes / 3);
    }
    if (operator_is_host_form(list->info)) {
        const int each = largest(1, layout->lanes * layout->real_bytes / list->info->vector_bytes);
        return each * largest((sums * config->item_nodes + 1) * config->field_block,
                              (config->lift_nodes + 1) * config->lift_block);
    }
    const int rounds = (config->block * points + config->threads - 1) / config->threads;
    const int volume = (sums * config->item_nodes + layout->group) * fields;
    const int lift = (config->lift_nodes + layout->group) * fields;
    return LEAST_REGISTERS +
           layout->real_bytes / 4 * largest(largest(volume, lift), rounds * fields);
}

// Registers a thread may have.
static int limit_registers(const lister *list, const operator_config *config)
{
    if (operator_is_host_form(list->info)) return list->info->vector_bytes >= 64 ? 32 : 16;
    const int blocks = largest(1, config->resident / config->threads);
    const int limit = REGISTERS_CUDA / (blocks * config->threads);
    return limit < 255 ? limit : 255;
}

// 1 plus how far a configuration is from the rule's, plus what it wastes: nodes that fill up tiles,
// threads that fill up warps, registers that are spilled.
static double rate(const lister *list, const operator_config *config)
{
    const operator_config *const rule = &list->rule;
    const int nodes = list->element->nodes;
    const double spill =
        (double)count_registers(list, config) / limit_registers(list, config) - 1.0;
    double sum = 1.0 + distance(config->block, rule->block) +
                 distance(config->item_nodes, rule->item_nodes) +
                 distance(config->lift_nodes, rule->lift_nodes) +
                 distance(config->field_block, rule->field_block) +
                 distance(config->lift_block, rule->lift_block) +
                 0.5 * distance(config->resident, rule->resident);

    if (config->form == FORM_SPARSE)
        return sum + distance(config->parts, rule->parts) + (spill > 0.0 ? 2.0 * spill : 0.0);
    sum += 2.0 * waste(nodes, config->item_nodes) + waste(nodes, config->lift_nodes);
    if (!operator_is_host_form(list->info))
        sum += (double)config->threads / (config->block * config->tiles) - 1.0;
    return sum + (spill > 0.0 ? 2.0 * spill : 0.0);
}

// ---- the list ----------------------------------------------------------------------------------

static bool is_known(const lister *list, const char *name)
{
    for (int i = list->first; i < list->choices->count; i++)
        if (strcmp(list->choices->candidate[i].name, name) == 0) return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const operator_candidate *const one = a;
    const operator_candidate *const other = b;

    if (one->prior != other->prior) return one->prior < other->prior ? -1 : 1;
    return strcmp(one->name, other->name);
}

// Behind the rule's, which stays first: sorted by promise, the far ones dropped.
static void keep_near(lister *list)
{
    operator_choices *const choices = list->choices;
    const int ruled = list->first + list->ruled;

    qsort(&choices->candidate[ruled], (size_t)(choices->count - ruled), sizeof *choices->candidate,
          compare);
    if (choices->count > list->first + SEDGE_CANDIDATES)
        choices->count = list->first + SEDGE_CANDIDATES;
}

// Add a configuration that fits and is new.
static void add(lister *list, operator_config config)
{
    operator_candidate candidate = {.layout = (int)(list->layout - list->choices->layout)};

    operator_config_derive(&config, list->layout, list->info, list->problem, list->element);
    operator_config_name(candidate.name, &config, list->layout, list->info);
    if (!operator_config_fits(&config, list->info) || is_known(list, candidate.name)) return;
    candidate.config = config;
    candidate.registers = count_registers(list, &config);
    if (candidate.registers > limit_registers(list, &config)) // the others are spilled
        candidate.registers = limit_registers(list, &config);
    candidate.prior = rate(list, &config);
    if (list->choices->count == list->first + ROOM) keep_near(list);
    list->choices->candidate[list->choices->count++] = candidate;
}

// Half as many threads that stay on a multiprocessor have twice the registers: worth trying where
// there are too few of them, and the other way not worth trying where half would be spilled.
static void add_resident(lister *list, operator_config config)
{
    const int wanted = count_registers(list, &config);

    operator_config_derive(&config, list->layout, list->info, list->problem, list->element);
    if (2 * limit_registers(list, &config) > wanted) add(list, config);
    if (limit_registers(list, &config) < wanted) {
        config.resident /= 2;
        add(list, config);
    }
}

// Every block and tile.
static void list_cuda(lister *list)
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
        operator_config_derive(&config, list->layout, list->info, list->problem, list->element);
        if (config.item_nodes % group != 0 || config.lift_nodes % group != 0) continue;
        if (config.tiles == 1 && config.item_nodes > list->rule.item_nodes) continue;
        if (config.lift_tiles == 1 && config.lift_nodes > list->rule.lift_nodes) continue;
        if (2 * config.block * config.tiles < config.threads)
            continue; // half of the threads would idle
        add_resident(list, config);
    }
}

// How good a configuration by matrix instructions may be: it is compared with the others where
// there is much arithmetic, and with the rule of its own form everywhere.
static double rate_tensor(const lister *list, const operator_config *config)
{
    const operator_config *const rule = &list->rule;
    const int pieces = config->tiles * config->block / (8 * config->groups);

    return 1.0 + waste(list->element->nodes, 8) + waste(pieces, config->warps) +
           distance(config->block, rule->block) + 0.5 * distance(config->resident, rule->resident) +
           0.5 * distance(config->groups, rule->groups) +
           0.5 * distance(config->warps, rule->warps);
}

// Registers that a configuration by matrix instructions keeps busy: three derivatives of two nodes,
// what they are made from, and the neighbours' traces.
static int count_tensor_registers(const lister *list, const operator_config *config)
{
    const int words = list->layout->real_bytes / 4;
    const int fields = (list->problem->equation->fields + 1) / 2 * 2;
    const int points = config->block * SEDGE_FACES * list->element->face_nodes;
    const int rounds = (points + config->threads - 1) / config->threads;
    const int sums = 2;
    const int rows = (config->groups * sums + 2) * fields;

    return LEAST_REGISTERS + words * largest(rows + 6, rounds * fields);
}

static void add_tensor(lister *list, operator_config config)
{
    operator_candidate candidate = {.layout = (int)(list->layout - list->choices->layout)};

    operator_config_derive(&config, list->layout, list->info, list->problem, list->element);
    operator_config_name(candidate.name, &config, list->layout, list->info);
    candidate.config = config;
    candidate.registers = count_tensor_registers(list, &config);
    if (!operator_config_fits(&config, list->info) || is_known(list, candidate.name)) return;
    const bool is_rule = list->choices->count == list->first;
    if (!is_rule && (config.threads > config.resident ||
                     candidate.registers > 5 * limit_registers(list, &config) / 4))
        return;
    if (candidate.registers > limit_registers(list, &config))
        candidate.registers = limit_registers(list, &config);
    candidate.prior = rate_tensor(list, &config);
    if (list->choices->count == list->first + ROOM) keep_near(list);
    list->choices->candidate[list->choices->count++] = candidate;
}

// Blocks, groups and rounds, each with as many registers as may pay.
static void list_tensor(lister *list)
{
    static const int blocks[] = {8, 16, 24, 32, 48};
    static const int residents[] = {384, 512, 768, 1024};

    for (int i = 0; i < 5 * 2 * 4 * 4; i++) {
        operator_config config = list->rule;
        config.block = blocks[i % 5];
        config.groups = i / 5 % 2 + 1;
        config.resident = residents[i / 40];
        const int pieces = list->rule.tiles * config.block / (8 * config.groups);
        const int rounds = i / 10 % 4 + 1;
        config.warps = (pieces + rounds - 1) / rounds;
        if (config.block % (8 * config.groups) == 0) add_tensor(list, config);
    }
}

// Volume and lift do not disturb each other much: each alone, and together what is near the rule.
static void list_host(lister *list)
{
    const int fields = list->problem->equation->fields;
    const int most = ITEMS_HOST < list->element->nodes ? ITEMS_HOST : list->element->nodes;

    for (int i = 0; i < most * fields * most * fields; i++) {
        operator_config config = list->rule;
        config.item_nodes = i % most + 1;
        config.field_block = i / most % fields + 1;
        config.lift_nodes = i / most / fields % most + 1;
        config.lift_block = i / most / fields / most + 1;
        if (fields % config.field_block != 0 || fields % config.lift_block != 0) continue;
        const bool same_volume = config.item_nodes == list->rule.item_nodes &&
                                 config.field_block == list->rule.field_block;
        const bool same_lift = config.lift_nodes == list->rule.lift_nodes &&
                               config.lift_block == list->rule.lift_block;
        if (4 * count_registers(list, &config) > 5 * limit_registers(list, &config)) continue;
        if (!list->problem->equation->linear && config.field_block != list->rule.field_block)
            continue;
        if (same_volume || same_lift || rate(list, &config) < NEAR) add(list, config);
    }
}

// The sparse form: groups of elements a block, warps a group, and limits of registers that let
// half, three quarters or all of the blocks stay that have room for their memory.
static void list_sparse(lister *list)
{
    static const int groups[] = {1, 2, 4, 8};

    for (int i = 0; i < 8; i++) {
        operator_config config = list->rule;
        config.parts = i % 2 + 1;
        config.block = groups[i / 2] * list->rule.group_elements;
        operator_config_derive(&config, list->layout, list->info, list->problem, list->element);
        config.resident = config.threads;
        add(list, config);
        const int blocks = config.ahead / SEDGE_MULTIPROCESSORS;
        for (int quarters = 4; quarters > 1 && !config.shared_sums; quarters--) {
            config.resident = blocks * quarters / 4 * config.threads;
            if (config.resident <= 2048 && config.resident > config.threads) add(list, config);
        }
    }
}

// The configurations of a form, near the rule for it.
static void list_form(lister *list, operator_form form)
{
    const operator_config rule = list->rule;

    operator_config_choose_form(&list->rule, form, list->layout, list->info, list->problem,
                                list->element);
    if (form == FORM_TENSOR) {
        list_tensor(list);
    } else if (form == FORM_SPARSE) {
        if (!operator_is_host_form(list->info)) list_sparse(list);
    } else if (operator_is_host_form(list->info)) {
        list_host(list);
    } else {
        list_cuda(list);
    }
    list->rule = rule;
}

// The candidates of one layout behind those of the others: the rule's, if it fits, then by their
// promise. There may be none in a layout that needs more memory than the first.
static void list_layout(lister *list)
{
    operator_choices *const choices = list->choices;

    list->first = choices->count;
    operator_config_choose(&list->rule, list->layout, list->info, list->problem, list->element);
    if (list->rule.form == FORM_TENSOR) {
        add_tensor(list, list->rule);
    } else {
        add(list, list->rule);
    }
    list->ruled = choices->count - list->first;
    if (list->layout->basis == SEDGE_BERNSTEIN) {
        list_form(list, FORM_SPARSE);
    } else {
        list_form(list, FORM_PLAIN);
        if (operator_tensor_refusal(list->info, list->problem) == NULL)
            list_form(list, FORM_TENSOR);
    }
    keep_near(list);
}

// ---- what is searched --------------------------------------------------------------------------

// How many of each form a GPU's search takes, the most promising: each is compiled for three chips
// in a test. By the tables of benchmarks/README.md: matrix instructions lose below order 4 and are
// 1.2 to 2 times as fast as other nodal forms above; two kernels always lose to one; the nodal
// basis is 1.5 times slower than sums in registers in the other one, and filled up nodes gain a
// few per cent of the same configurations at most; of sparse ones the winners
// were among the first four.
static void choose_numbers(int most[FORMS], const operator_choices *choices, int layout,
                           const sedge_device_info *info, const sedge_problem *problem,
                           const sedge_element *element)
{
    static const int low[FORMS] = {[FORM_SPARSE] = 4, [FORM_PLAIN] = 5, [FORM_TENSOR] = 1};
    static const int high[FORMS] = {[FORM_SPARSE] = 4, [FORM_PLAIN] = 1, [FORM_TENSOR] = 3};
    static const int no_units[FORMS] = {[FORM_SPARSE] = 4, [FORM_PLAIN] = 8};
    static const int single[FORMS] = {[FORM_SPARSE] = 4, [FORM_PLAIN] = 1, [FORM_TENSOR] = 1};
    const bool is_behind = layout > 0 && (choices->layout[0].basis == SEDGE_BERNSTEIN ||
                                          choices->layout[layout - 1].basis == SEDGE_NODAL);
    const int *const from = is_behind                                        ? single
                            : operator_tensor_refusal(info, problem) != NULL ? no_units
                            : element->order >= 4                            ? high
                                                                             : low;

    memcpy(most, from, sizeof low);
}

// Mark them.
static void mark_searched(operator_choices *choices, bool *searched, const sedge_device_info *info,
                          const sedge_problem *problem, const sedge_element *element)
{
    int most[FORMS] = {0};
    int layout = -1;

    for (int c = 0; c < choices->count; c++) {
        const operator_candidate *const candidate = &choices->candidate[c];
        const bool is_first = candidate->layout != layout;
        layout = candidate->layout;
        if (is_first) choose_numbers(most, choices, layout, info, problem, element);
        searched[c] = operator_is_host_form(info) || is_first || most[candidate->config.form] > 0;
        most[candidate->config.form]--;
    }
}

// Those that are searched go before the others, in their order.
static sedge_status sort_searched(operator_choices *choices, const sedge_device_info *info,
                                  const sedge_problem *problem, const sedge_element *element)
{
    operator_candidate *sorted = NULL;
    bool *searched = NULL;
    sedge_status status;
    int count = 0;

    SEDGE_TRY_GOTO(status, sedge_allocate(&searched, choices->count, sizeof *searched));
    SEDGE_TRY_GOTO(status, sedge_allocate(&sorted, choices->count, sizeof *sorted));
    mark_searched(choices, searched, info, problem, element);
    for (int c = 0; c < choices->count; c++)
        if (searched[c]) sorted[count++] = choices->candidate[c];
    choices->searched = count;
    for (int c = 0; c < choices->count; c++)
        if (!searched[c]) sorted[count++] = choices->candidate[c];
    for (int c = 0; c < choices->searched; c++) {
        if (sorted[c].layout >= choices->searched_layouts)
            choices->searched_layouts = sorted[c].layout + 1;
    }
    memcpy(choices->candidate, sorted, (size_t)count * sizeof *sorted);
done:
    sedge_release(searched);
    sedge_release(sorted);
    return status;
}

// ---- all ---------------------------------------------------------------------------------------

static sedge_status fail_none(const lister *list)
{
    const operator_config *const config = &list->rule; // with as few elements as can be

    return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                      "order %d of %s cannot run on %s: a block needs %d threads and %lld bytes of "
                      "shared memory at least; %d and %lld are possible",
                      list->element->order, list->problem->equation->name, list->info->kind_name,
                      config->threads, (long long)config->scratch_bytes, list->info->threads_block,
                      (long long)list->info->shared_bytes_block);
}

// A layout without candidates.
static void drop_layout(operator_choices *choices, int layout)
{
    choices->layouts--;
    memmove(&choices->layout[layout], &choices->layout[layout + 1],
            (size_t)(choices->layouts - layout) * sizeof *choices->layout);
}

sedge_status operator_choices_list(operator_choices *choices, const sedge_device_info *info,
                                   const sedge_problem *problem, const sedge_element *element)
{
    memset(choices, 0, sizeof *choices);
    SEDGE_TRY(sedge_allocate(&choices->candidate, (SEDGE_LAYOUTS - 1) * SEDGE_CANDIDATES + ROOM,
                             sizeof *choices->candidate));
    operator_layouts_list(choices, info, problem, element);
    for (int i = 0; i < choices->layouts; i++) {
        lister list = {.choices = choices,
                       .info = info,
                       .problem = problem,
                       .element = element,
                       .layout = &choices->layout[i]};
        list_layout(&list);
        if (i == choices->layouts - 1 && choices->count == 0) return fail_none(&list);
        if (choices->count == list.first) drop_layout(choices, i--);
    }
    return sort_searched(choices, info, problem, element);
}

const operator_candidate *operator_choices_find(const operator_choices *choices, const char *name)
{
    for (int c = 0; c < choices->count; c++)
        if (strcmp(choices->candidate[c].name, name) == 0) return &choices->candidate[c];
    return NULL;
}

void operator_choices_clear(operator_choices *choices)
{
    sedge_release(choices->candidate);
    choices->candidate = NULL;
    choices->count = 0;
}
