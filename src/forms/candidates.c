#include "forms/candidates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_CUDA 65536 // of a multiprocessor
#define ROOM           2048  // candidates of a layout; when it is full, the far ones are dropped

// ---- model -------------------------------------------------------------------------------------

int operator_largest(int a, int b)
{
    return a > b ? a : b;
}

double operator_waste(int count, int size)
{
    return (double)operator_round_up(count, size) / count - 1.0;
}

double operator_distance(int a, int b)
{
    return fabs(log2((double)a / b));
}

int operator_register_limit(const operator_config *config, const operator_target *target)
{
    if (operator_is_host_form(target->info)) return target->info->vector_bytes >= 64 ? 32 : 16;
    const int blocks = operator_largest(1, config->resident / config->threads);
    const int limit = REGISTERS_CUDA / (blocks * config->threads);
    return limit < 255 ? limit : 255;
}

double operator_spilled(const operator_config *config, const operator_layout *layout,
                        const operator_target *target)
{
    const double part = (double)config->form->registers(config, layout, target) /
                            operator_register_limit(config, target) -
                        1.0;

    return part > 0.0 ? part : 0.0;
}

// ---- the list ----------------------------------------------------------------------------------

static bool is_known(const operator_lister *list, const char *name)
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

// Behind the default, which stays first: sorted by promise, the far ones dropped.
static void keep_near(operator_lister *list)
{
    operator_choices *const choices = list->choices;
    const int ruled = list->first + list->ruled;

    qsort(&choices->candidate[ruled], (size_t)(choices->count - ruled), sizeof *choices->candidate,
          compare);
    if (choices->count > list->first + SEDGE_CANDIDATES)
        choices->count = list->first + SEDGE_CANDIDATES;
}

void operator_lister_add(operator_lister *list, operator_config config)
{
    const operator_layout *const layout = list->layout;
    operator_candidate candidate = {.layout = (int)(layout - list->choices->layout)};

    operator_config_derive(&config, layout, list->target);
    operator_config_name(candidate.name, &config, layout, list->target);
    if (!operator_config_fits(&config, list->target->info) || is_known(list, candidate.name))
        return;
    const int limit = operator_register_limit(&config, list->target);
    candidate.config = config;
    candidate.registers = config.form->registers(&config, layout, list->target);
    if (candidate.registers > limit) candidate.registers = limit;
    candidate.prior = config.form->prior(&config, &list->rule, layout, list->target);
    if (list->choices->count == list->first + ROOM) keep_near(list);
    list->choices->candidate[list->choices->count++] = candidate;
}

// The candidates of one layout behind those of the others: the default, if it fits, then those of
// all forms by their promise. There may be none in a layout that needs more memory than the first.
static void list_layout(operator_lister *list)
{
    list->first = list->choices->count;
    operator_config_choose(&list->rule, list->layout, list->target);
    operator_lister_add(list, list->rule);
    list->ruled = list->choices->count - list->first;
    for (int i = 0; operator_forms[i] != NULL; i++) {
        const operator_form *const form = operator_forms[i];
        if (form->basis != list->layout->basis || operator_form_refusal(form, list->target) != NULL)
            continue;
        operator_config_choose_form(&list->rule, form, list->layout, list->target);
        form->list(list);
    }
    keep_near(list);
}

// ---- what is searched --------------------------------------------------------------------------

static bool is_alone(const operator_form *form, const operator_target *target)
{
    for (int i = 0; operator_forms[i] != NULL; i++) {
        if (operator_forms[i] != form && operator_forms[i]->basis == form->basis &&
            operator_form_refusal(operator_forms[i], target) == NULL)
            return false;
    }
    return true;
}

// Is a candidate among the most promising ones of its form and layout?
static bool is_searched(const operator_choices *choices, int c, const operator_target *target)
{
    const operator_candidate *const candidate = &choices->candidate[c];
    const operator_form *const form = candidate->config.form;
    int before = 0;

    if (operator_is_host_form(target->info)) return true;
    if (c == 0 || candidate[-1].layout != candidate->layout) return true; // the default
    for (int k = c; k-- > 0 && choices->candidate[k].layout == candidate->layout;)
        before += choices->candidate[k].config.form == form;
    return before < form->searched(target, is_alone(form, target), candidate->layout > 0);
}

// Those that are searched go before the others, in their order.
static sedge_status sort_searched(operator_choices *choices, const operator_target *target)
{
    operator_candidate *sorted = NULL;
    int count = 0;

    SEDGE_TRY(sedge_allocate(&sorted, choices->count, sizeof *sorted));
    for (int searched = 1; searched >= 0; searched--) {
        for (int c = 0; c < choices->count; c++) {
            if (is_searched(choices, c, target) == (searched == 1))
                sorted[count++] = choices->candidate[c];
        }
        if (searched == 1) choices->searched = count;
    }
    for (int c = 0; c < choices->searched; c++) {
        if (sorted[c].layout >= choices->searched_layouts)
            choices->searched_layouts = sorted[c].layout + 1;
    }
    memcpy(choices->candidate, sorted, (size_t)count * sizeof *sorted);
    sedge_release(sorted);
    return SEDGE_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static sedge_status fail_none(const operator_target *target, const operator_layout *layout)
{
    const sedge_device_info *const info = target->info;
    operator_config config;

    operator_config_choose(&config, layout, target); // with as few elements as can be
    return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                      "order %d of %s cannot run on %s: a block needs %d threads and %lld bytes of "
                      "shared memory at least; %d and %lld are possible",
                      target->element->order, target->problem->equation->name, info->kind_name,
                      config.threads, (long long)config.scratch_bytes, info->threads_block,
                      (long long)info->shared_bytes_block);
}

// A layout without candidates.
static void drop_layout(operator_choices *choices, int layout)
{
    choices->layouts--;
    memmove(&choices->layout[layout], &choices->layout[layout + 1],
            (size_t)(choices->layouts - layout) * sizeof *choices->layout);
}

sedge_status operator_choices_list(operator_choices *choices, const operator_target *target)
{
    memset(choices, 0, sizeof *choices);
    SEDGE_TRY(sedge_allocate(&choices->candidate, (SEDGE_LAYOUTS - 1) * SEDGE_CANDIDATES + ROOM,
                             sizeof *choices->candidate));
    operator_layouts_list(choices->layout, &choices->layouts, target);
    for (int i = 0; i < choices->layouts; i++) {
        operator_lister list = {
            .choices = choices, .target = target, .layout = &choices->layout[i]};
        list_layout(&list);
        if (i == choices->layouts - 1 && choices->count == 0)
            return fail_none(target, &choices->layout[i]);
        if (choices->count == list.first) drop_layout(choices, i--);
    }
    return sort_searched(choices, target);
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
