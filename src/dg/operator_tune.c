#include "dg/operator_internal.h"

struct operator_tuning {
    operator_choices choices;
};

void operator_tuning_free(operator_tuning *tuning)
{
    sedge_release(tuning);
}

sedge_status operator_tune(sedge_operator *op, sedge_cache *cache,
                           const sedge_operator_options *options)
{
    const sedge_device_info *const info = sedge_device_get_info(op->device);
    operator_choices choices;
    sedge_status status;

    (void)cache;
    operator_layouts_list(&choices, info, op->problem, op->element);
    operator_cut_choose(&op->cut, &choices.layout[0], info, op->problem, op->element);
    status =
        operator_cut_wish(&op->cut, &choices.layout[0], info, op->problem, op->element, options);
    if (status == SEDGE_OK) status = operator_take_layout(op, &choices.layout[0]);
    return sedge_comm_agree(op->comm, status);
}
