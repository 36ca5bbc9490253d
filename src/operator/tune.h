// The choice of the state's layout and of the stage's kernel configuration: what the options
// request, or else the fastest by measurement, by earlier measurements, or by rule.
#pragma once

#include "operator/operator.h"

typedef struct operator_tuning operator_tuning;

// Choose layout and configuration: the requested ones, else what sedge_tune chooses; and take them.
// Leaves the stage's program and its tables to be made. Collective.
SEDGE_MUST_USE
sedge_status operator_tune(sedge_operator *op, sedge_cache *cache,
                           const sedge_operator_options *options);
void operator_tuning_free(operator_tuning *tuning);
