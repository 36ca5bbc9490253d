// What options ask for: a layout and a cut, or a message that says why they cannot be had.
#include "operator/operator_internal.h"

#include <string.h>

bool sedge_operator_is_cut(const sedge_operator_options *options)
{
    return (options->variant != NULL && strcmp(options->variant, "auto") != 0) ||
           options->cut != NULL || options->block_elements > 0 || options->item_nodes > 0 ||
           options->lift_nodes > 0 || options->item_fields > 0;
}

// Does the options' variant or cut name the other basis?
static bool is_bernstein_wish(const sedge_operator_options *options)
{
    static const char name[] = "bernstein";

    if (options->cut != NULL) return strncmp(options->cut, name, strlen(name)) == 0;
    return options->variant != NULL && strcmp(options->variant, name) == 0;
}

sedge_status operator_layout_wish(int *out, const operator_choices *choices,
                                  const sedge_problem *problem,
                                  const sedge_operator_options *options)
{
    const char *const refusal = operator_bernstein_refusal(problem);

    *out = 0;
    if (!sedge_operator_is_cut(options)) return SEDGE_OK;
    if (!is_bernstein_wish(options)) {
        while (choices->layout[*out].basis != SEDGE_NODAL) (*out)++;
        return SEDGE_OK;
    }
    if (refusal != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s cannot run in the Bernstein-Bezier basis, which kernels.variant or a "
                          "cut asks for: %s; leave it out",
                          problem->equation->name, refusal);
    }
    while (choices->layout[*out].basis != SEDGE_BERNSTEIN) (*out)++;
    return SEDGE_OK;
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
static sedge_status choose_variant(operator_cut *cut, const operator_layout *layout,
                                   const sedge_device_info *info, const sedge_problem *problem,
                                   const sedge_element *element,
                                   const sedge_operator_options *options)
{
    static const operator_cut forms[] = {
        {.fused = true},
        {.fused = false},
        {.three = true},
        {.fused = true, .curls = true},
        {.fused = true, .curls = true, .tangential = true},
        {.fused = true, .tensor = true},
        {.fused = true, .tensor = true, .curls = true},
        {.fused = true, .tensor = true, .curls = true, .tangential = true},
        {.fused = true, .blas = true},
    };

    const char *const variant = options->variant;
    if (variant == NULL || strcmp(variant, "auto") == 0) {
        if (options->block_elements > 0 || options->item_nodes > 0 || options->lift_nodes > 0 ||
            options->item_fields > 0)
            operator_cut_choose_form(cut, &forms[0], layout, info, problem, element);
        return SEDGE_OK;
    }
    if (!is_listed(variant)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.variant '%s' is not known; known are: " SEDGE_OPERATOR_VARIANTS,
                          variant);
    }
    if (strcmp(variant, "bernstein") == 0) return SEDGE_OK;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(variant, operator_cut_form_name(&forms[i])) != 0) continue;
        if (forms[i].curls && !problem->equation->curls) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "kernels.variant '%s' needs an equation that is made of curls, which "
                              "%s is not",
                              variant, problem->equation->name);
        }
        if (forms[i].tensor && !operator_has_tensor(info, problem)) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "kernels.variant '%s' needs a linear equation, order %d or more in "
                "fp32, and an NVIDIA GPU of compute capability 8.0 or later; here are "
                "%s, order %d and %s",
                variant, SEDGE_LEAST_SPLIT, problem->equation->name, problem->order, info->name);
        }
        if (forms[i].tangential && !problem->equation->tangential) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "kernels.variant '%s' needs an equation whose jumps are tangential, "
                              "which those of %s are not",
                              variant, problem->equation->name);
        }
        if (forms[i].blas && !operator_has_blas(info)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "kernels.variant 'blas' needs cuBLAS and a device of kind cuda, this "
                              "one is of kind %s",
                              info->kind_name);
        }
        operator_cut_choose_form(cut, &forms[i], layout, info, problem, element);
        return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "kernels.variant '%s' is listed and has no form",
                      variant);
}

// Numbers of nodes and fields an item are of the forms whose items have some.
static sedge_status check_numbers(const operator_cut *cut, const operator_layout *layout,
                                  const sedge_operator_options *options)
{
    const bool has_items = layout->form != FORM_SPARSE && !cut->tensor && !cut->blas;

    if (has_items ||
        (options->item_nodes == 0 && options->lift_nodes == 0 && options->item_fields == 0))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "kernels.%s goes with kernels.variant fused, split, three, curl and "
                      "tangential, not with '%s'",
                      options->item_nodes > 0   ? "item_nodes"
                      : options->lift_nodes > 0 ? "lift_nodes"
                                                : "item_fields",
                      operator_cut_form_name(cut));
}

sedge_status operator_cut_wish(operator_cut *cut, const operator_layout *layout,
                               const sedge_device_info *info, const sedge_problem *problem,
                               const sedge_element *element, const sedge_operator_options *options)
{
    const int fields = problem->equation->fields;
    const bool host = operator_is_host_form(info);

    SEDGE_TRY(choose_variant(cut, layout, info, problem, element, options));
    SEDGE_TRY(check_numbers(cut, layout, options));
    if (layout->form == FORM_SPARSE) {
        if (options->block_elements > 0 && !host) cut->block = options->block_elements;
        operator_cut_derive(cut, layout, info, problem, element);
        if (operator_cut_fits(cut, info)) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.block_elements %d needs %d threads and %lld bytes of shared "
                          "memory a block; at most %d and %lld are possible",
                          cut->block, cut->threads, (long long)cut->scratch_bytes,
                          info->threads_block, (long long)info->shared_bytes_block);
    }
    if (options->item_nodes > 0)
        cut->item_nodes = operator_round_up(options->item_nodes, layout->group);
    if (options->lift_nodes > 0)
        cut->lift_nodes = operator_round_up(options->lift_nodes, layout->group);
    if (options->item_fields > 0 && host) cut->field_block = options->item_fields;
    if (options->block_elements > 0 && !host) cut->block = options->block_elements;
    if (cut->tensor && cut->block % (8 * cut->groups) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.block_elements %d is not a multiple of %d, as kernels.variant "
                          "'%s' wants it",
                          cut->block, 8 * cut->groups, operator_cut_form_name(cut));
    }
    operator_cut_derive(cut, layout, info, problem, element);
    if (fields % cut->field_block != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.item_fields %d does not divide the %d fields of %s",
                          cut->field_block, fields, problem->equation->name);
    }
    if (cut->curls && cut->field_block % 3 != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels.item_fields %d is not a multiple of 3, as curls want it",
                          cut->field_block);
    }
    if (!operator_cut_fits(cut, info)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernels: block_elements %d and item_nodes %d need %d threads and %lld "
                          "bytes of shared memory a block; at most %d and %lld are possible",
                          cut->block, cut->item_nodes, cut->threads, (long long)cut->scratch_bytes,
                          info->threads_block, (long long)info->shared_bytes_block);
    }
    return SEDGE_OK;
}
