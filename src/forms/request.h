// The user's request for the stage's kernels, and the kernel configuration that it leads to.
#pragma once

#include "forms/candidates.h"

typedef struct operator_request {
    const char *variant; // one of SEDGE_OPERATOR_VARIANTS; NULL: "auto"
    const char *config;  // the name of a whole configuration; then nothing else is requested. NULL:
                         // none
    operator_numbers numbers;
} operator_request;

// Is anything requested? Then nothing is tuned.
bool operator_request_is_given(const operator_request *request);

// Find the requested configuration and the number of its layout in `choices`. Numbers without a
// form belong to the first form; a form without numbers has its default numbers. If nothing is
// requested this is the first of all candidates. SEDGE_ERR_USAGE: there is no such configuration.
SEDGE_MUST_USE
sedge_status operator_request_find(operator_config *config, int *layout,
                                   const operator_choices *choices, const operator_target *target,
                                   const operator_request *request);
