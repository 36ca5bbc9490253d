#include "forms/request.h"

#include <string.h>

static bool has_numbers(const operator_numbers *numbers)
{
    return numbers->block_elements > 0 || numbers->item_nodes > 0 || numbers->lift_nodes > 0 ||
           numbers->item_fields > 0;
}

static bool has_variant(const operator_request *request)
{
    return request->variant != NULL && strcmp(request->variant, "auto") != 0;
}

bool operator_request_is_given(const operator_request *request)
{
    return has_variant(request) || request->config != NULL || has_numbers(&request->numbers);
}

// SEDGE_ERR_USAGE if a form cannot run there.
static sedge_status check_form(const operator_form *form, const operator_target *target)
{
    const char *const need = operator_form_refusal(form, target);

    if (need == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernels.variant '%s' needs %s; here are %s in %s and %s",
                      form->name, need, target->problem->equation->name,
                      target->problem->precision == SEDGE_FP64 ? "fp64" : "fp32",
                      target->info->name);
}

static sedge_status find_form(const operator_form **out, const operator_request *request)
{
    *out = has_variant(request) ? operator_form_find(request->variant) : operator_forms[0];
    if (*out != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels.variant '%s' is not known; known are: " SEDGE_OPERATOR_VARIANTS,
                      request->variant);
}

// The first layout of a form's basis.
static sedge_status find_layout(int *out, const operator_choices *choices,
                                const operator_form *form, const operator_target *target)
{
    for (int l = 0; l < choices->layouts; l++) {
        *out = l;
        if (choices->layout[l].basis == form->basis) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels of the requested form '%s' do not fit into this device's block "
                      "memory at order %d; leave kernels.variant and its numbers out",
                      form->name, target->problem->order);
}

// The configuration of this name. A form that cannot run there has no candidates: that is the
// reason, then.
static sedge_status find_named(operator_config *config, int *layout,
                               const operator_choices *choices, const operator_target *target,
                               const char *name)
{
    const operator_candidate *const found = operator_choices_find(choices, name);

    for (int i = 0; operator_forms[i] != NULL && found == NULL; i++) {
        const size_t length = strlen(operator_forms[i]->name);
        if (strncmp(name, operator_forms[i]->name, length) == 0 && name[length] == ' ')
            SEDGE_TRY(check_form(operator_forms[i], target));
    }
    if (found == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s of order %d has no kernel configuration '%s' here; 'sedge tune' "
                          "lists all",
                          target->problem->equation->name, target->problem->order, name);
    }
    *layout = found->layout;
    *config = found->config;
    return SEDGE_OK;
}

// The form's default; the most promising candidate where that does not fit.
static void choose_default(operator_config *config, int layout, const operator_choices *choices,
                           const operator_target *target, const operator_form *form)
{
    operator_config_choose_form(config, form, &choices->layout[layout], target);
    if (operator_config_fits(config, target->info)) return;
    for (int c = 0; c < choices->count; c++) {
        const operator_candidate *const candidate = &choices->candidate[c];
        if (candidate->layout != layout || candidate->config.form != form) continue;
        *config = candidate->config;
        return;
    }
}

sedge_status operator_request_find(operator_config *config, int *layout,
                                   const operator_choices *choices, const operator_target *target,
                                   const operator_request *request)
{
    const sedge_device_info *const info = target->info;
    const operator_form *form = NULL;
    char name[SEDGE_CONFIG_NAME];

    *layout = 0;
    *config = choices->candidate[0].config;
    if (!operator_request_is_given(request)) return SEDGE_OK;
    if (request->config != NULL)
        return find_named(config, layout, choices, target, request->config);
    SEDGE_TRY(find_form(&form, request));
    SEDGE_TRY(check_form(form, target));
    SEDGE_TRY(find_layout(layout, choices, form, target));
    const operator_layout *const where = &choices->layout[*layout];
    choose_default(config, *layout, choices, target, form);
    SEDGE_TRY(form->request(config, where, target, &request->numbers));
    operator_config_derive(config, where, target);
    if (operator_config_fits(config, info)) return SEDGE_OK;
    operator_config_name(name, config, where, target);
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels: block_elements %d and item_nodes %d need %d threads and %lld bytes "
                      "of shared memory a block ('%s'); at most %d and %lld are possible",
                      config->block, config->item_nodes, config->threads,
                      (long long)config->scratch_bytes, name, info->threads_block,
                      (long long)info->shared_bytes_block);
}
