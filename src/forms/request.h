// What a user requests of the kernels, and what it means there.
#pragma once

#include "forms/candidates.h"

typedef struct operator_request {
    const char *variant; // one of SEDGE_OPERATOR_VARIANTS; NULL: "auto"
    const char *config;  // the name of a configuration, which then is all that is requested; NULL:
                         // none
    operator_numbers numbers;
} operator_request;

// Is anything requested? Then nothing is tuned.
bool operator_request_is_given(const operator_request *request);

// The requested configuration and the number of its layout in `choices`: numbers without a form are
// those of the first form, and a form without numbers has its default ones. If nothing is requested
// the first of all candidates. SEDGE_ERR_USAGE for what cannot be had.
SEDGE_MUST_USE
sedge_status operator_request_find(operator_config *config, int *layout,
                                   const operator_choices *choices, const operator_target *target,
                                   const operator_request *request);
