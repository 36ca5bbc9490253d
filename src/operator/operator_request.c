// What options ask for: a layout and a configuration, or a message that says why they cannot be
// had.
#include "operator/operator_internal.h"

#include <string.h>

bool sedge_operator_is_requested(const sedge_operator_options *options)
{
    return (options->variant != NULL && strcmp(options->variant, "auto") != 0) ||
           options->config != NULL || options->block_elements > 0 || options->item_nodes > 0 ||
           options->lift_nodes > 0 || options->item_fields > 0;
}

// Does the options' variant or configuration name the other basis?
static bool is_bernstein_wish(const sedge_operator_options *options)
{
    static const char name[] = "bernstein";

    if (options->config != NULL) return strncmp(options->config, name, strlen(name)) == 0;
    return options->variant != NULL && strcmp(options->variant, name) == 0;
}

sedge_status operator_layout_request(int *out, const operator_choices *choices,
                                     const sedge_problem *problem,
                                     const sedge_operator_options *options)
{
    const char *const refusal = operator_bernstein_refusal(problem);

    *out = 0;
    if (!sedge_operator_is_requested(options)) return SEDGE_OK;
    const sedge_basis basis = is_bernstein_wish(options) ? SEDGE_BERNSTEIN : SEDGE_NODAL;
    if (basis == SEDGE_BERNSTEIN && refusal != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s cannot run in the Bernstein-Bezier basis, which kernels.variant or a "
                          "cut asks for: %s; leave it out",
                          problem->equation->name, refusal);
    }
    while (*out < choices->layouts && choices->layout[*out].basis != basis) (*out)++;
    if (*out < choices->layouts) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "kernels in the %s basis, which kernels.variant or a cut asks for, do not fit "
        "into this device's block memory at order %d; leave it out",
        basis == SEDGE_BERNSTEIN ? "Bernstein-Bezier" : "nodal", problem->order);
}

static bool is_listed(const char *variant)
{
    const size_t length = strlen(variant);
    const char *at = SEDGE_OPERATOR_VARIANTS;

    while (strncmp(at, variant, length) != 0 || (at[length] != ' ' && at[length] != '\0')) {
        at = strchr(at, ' ');
        if (at == NULL) return false;
        at++;
    }
    return true;
}

// NULL and "auto": as the rule has it, or "fused" where numbers are wished. "bernstein" is a
// layout, and its rule.
static sedge_status choose_variant(operator_config *config, const operator_layout *layout,
                                   const sedge_device_info *info, const sedge_problem *problem,
                                   const sedge_element *element,
                                   const sedge_operator_options *options)
{
    const char *const variant = options->variant;
    const char *const refusal = operator_tensor_refusal(info, problem);

    if (variant == NULL || strcmp(variant, "auto") == 0) {
        if (options->block_elements > 0 || options->item_nodes > 0 || options->lift_nodes > 0 ||
            options->item_fields > 0)
            operator_config_choose_form(config, FORM_PLAIN, layout, info, problem, element);
        return SEDGE_OK;
    }
    if (!is_listed(variant)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.variant '%s' is not known; known are: " SEDGE_OPERATOR_VARIANTS,
                          variant);
    }
    if (strcmp(variant, operator_form_name(FORM_SPARSE)) == 0) return SEDGE_OK;
    if (strcmp(variant, operator_form_name(FORM_PLAIN)) == 0) {
        operator_config_choose_form(config, FORM_PLAIN, layout, info, problem, element);
        return SEDGE_OK;
    }
    if (refusal != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.variant '%s' needs %s; here are %s in %s and %s", variant,
                          refusal, problem->equation->name,
                          problem->precision == SEDGE_FP64 ? "fp64" : "fp32", info->name);
    }
    operator_config_choose_form(config, FORM_TENSOR, layout, info, problem, element);
    return SEDGE_OK;
}

// Numbers of nodes and fields an item are of the forms whose items have some.
static sedge_status check_numbers(const operator_config *config,
                                  const sedge_operator_options *options)
{
    if (config->form == FORM_PLAIN ||
        (options->item_nodes == 0 && options->lift_nodes == 0 && options->item_fields == 0))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernels.%s goes with kernels.variant fused, not with '%s'",
                      options->item_nodes > 0   ? "item_nodes"
                      : options->lift_nodes > 0 ? "lift_nodes"
                                                : "item_fields",
                      operator_form_name(config->form));
}

sedge_status operator_config_request(operator_config *config, const operator_layout *layout,
                                     const sedge_device_info *info, const sedge_problem *problem,
                                     const sedge_element *element,
                                     const sedge_operator_options *options)
{
    const int fields = problem->equation->fields;
    const bool host = operator_is_host_form(info);

    SEDGE_TRY(choose_variant(config, layout, info, problem, element, options));
    SEDGE_TRY(check_numbers(config, options));
    if (config->form == FORM_SPARSE) {
        if (options->block_elements > 0 && !host) config->block = options->block_elements;
        operator_config_derive(config, layout, info, problem, element);
        if (operator_config_fits(config, info)) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.block_elements %d needs %d threads and %lld bytes of shared "
                          "memory a block; at most %d and %lld are possible",
                          config->block, config->threads, (long long)config->scratch_bytes,
                          info->threads_block, (long long)info->shared_bytes_block);
    }
    if (options->item_nodes > 0)
        config->item_nodes = operator_round_up(options->item_nodes, layout->group);
    if (options->lift_nodes > 0)
        config->lift_nodes = operator_round_up(options->lift_nodes, layout->group);
    if (options->item_fields > 0 && host) config->field_block = options->item_fields;
    if (options->block_elements > 0 && !host) config->block = options->block_elements;
    if (config->form == FORM_TENSOR && config->block % (8 * config->groups) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.block_elements %d is not a multiple of %d, as kernels.variant "
                          "'%s' wants it",
                          config->block, 8 * config->groups, operator_form_name(config->form));
    }
    operator_config_derive(config, layout, info, problem, element);
    if (fields % config->field_block != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.item_fields %d does not divide the %d fields of %s",
                          config->field_block, fields, problem->equation->name);
    }
    if (!operator_config_fits(config, info)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels: block_elements %d and item_nodes %d need %d threads and %lld "
                          "bytes of shared memory a block; at most %d and %lld are possible",
                          config->block, config->item_nodes, config->threads,
                          (long long)config->scratch_bytes, info->threads_block,
                          (long long)info->shared_bytes_block);
    }
    return SEDGE_OK;
}
