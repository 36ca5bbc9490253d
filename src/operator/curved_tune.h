// The choice of the kernel configuration of curved elements whose state is covariant, among those
// of operator_curved_list, in the layout of the stage in straight ones. Timed and checked on this
// rank's own curved elements, without terms.
#pragma once

#include "forms/config.h"
#include "operator/choice.h"

typedef struct curved_tuning curved_tuning;

// Choose, and take the choice: op->curved has it. `*out` stays NULL where there is but one. `spent`
// are the seconds that choosing the other stage took. Leaves programs to be made as operator_tune
// does. Collective: ranks without curved elements get what others of their kind chose. The caller
// frees `*out`.
SEDGE_MUST_USE
sedge_status curved_tuning_make(curved_tuning **out, sedge_operator *op, sedge_cache *cache,
                                const sedge_operator_options *options, double spent);
void curved_tuning_free(curved_tuning *tuning);

const operator_choice *curved_tuning_get(const curved_tuning *tuning);

// The task's name in the wisdom: "maxwell-n4-fp32-curved".
void curved_tuning_name(char name[SEDGE_CONFIG_NAME], const sedge_problem *problem);
