#include "forms/form.h"

#include <stdio.h>
#include <string.h>

#define OPERATOR_FORM_ROW(row, name, text) &operator_form_##row,
const operator_form *const operator_forms[] = {SEDGE_OPERATOR_FORMS(OPERATOR_FORM_ROW) NULL};

enum { FORMS = sizeof operator_forms / sizeof operator_forms[0] - 1 };

const operator_form *operator_form_find(const char *name)
{
    for (int i = 0; i < FORMS; i++)
        if (strcmp(operator_forms[i]->name, name) == 0) return operator_forms[i];
    return NULL;
}

const char *operator_form_refusal(const operator_form *form, const operator_target *target)
{
    if (target->problem->integrator->predictor && form->basis != SEDGE_BERNSTEIN)
        return "a Runge-Kutta integrator";
    return form->refusal == NULL ? NULL : form->refusal(target);
}

const operator_form *operator_form_of_basis(sedge_basis basis)
{
    for (int i = 0; i < FORMS; i++)
        if (operator_forms[i]->basis == basis) return operator_forms[i];
    return operator_forms[0];
}

static bool asks_to_be_default(const operator_form *form, const operator_target *target)
{
    return operator_form_refusal(form, target) == NULL && form->is_default != NULL &&
           form->is_default(target);
}

const operator_form *operator_form_default(const operator_target *target)
{
    for (int i = FORMS; i-- > 1;)
        if (asks_to_be_default(operator_forms[i], target)) return operator_forms[i];
    return operator_forms[0];
}

// ---- configurations ----------------------------------------------------------------------------

void operator_config_choose_form(operator_config *config, const operator_form *form,
                                 const operator_layout *layout, const operator_target *target)
{
    memset(config, 0, sizeof *config);
    config->form = form;
    form->choose(config, layout, target);
    form->derive(config, layout, target);
}

void operator_config_choose(operator_config *config, const operator_layout *layout,
                            const operator_target *target)
{
    for (int i = FORMS; i-- > 0;) {
        const operator_form *const form = operator_forms[i];
        if (form->basis != layout->basis || !asks_to_be_default(form, target)) continue;
        operator_config_choose_form(config, form, layout, target);
        if (operator_config_fits(config, target->info)) return;
    }
    operator_config_choose_form(config, operator_form_of_basis(layout->basis), layout, target);
}

void operator_config_derive(operator_config *config, const operator_layout *layout,
                            const operator_target *target)
{
    config->form->derive(config, layout, target);
}

bool operator_config_fits(const operator_config *config, const sedge_device_info *info)
{
    if (operator_is_host_form(info)) return true;
    return config->threads <= info->threads_block &&
           config->scratch_bytes <= info->shared_bytes_block;
}

void operator_config_name(char name[SEDGE_CONFIG_NAME], const operator_config *config,
                          const operator_layout *layout, const operator_target *target)
{
    const int length = snprintf(name, SEDGE_CONFIG_NAME, "%s ", config->form->name);

    config->form->describe(name + length, SEDGE_CONFIG_NAME - (size_t)length, config, layout,
                           target);
}

sedge_status operator_request_no_items(const operator_numbers *numbers, const operator_form *form)
{
    if (numbers->item_nodes == 0 && numbers->lift_nodes == 0 && numbers->item_fields == 0)
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernels.%s goes with kernels.variant %s, not with '%s'",
                      numbers->item_nodes > 0   ? "item_nodes"
                      : numbers->lift_nodes > 0 ? "lift_nodes"
                                                : "item_fields",
                      operator_forms[0]->name, form->name);
}
