// The choice of the kernel configurations of families (operator.h), after that of the stage in
// straight elements: tasks of the tuner of their own.
#pragma once

#include "operator/choice.h"
#include "operator/operator.h"

typedef struct family_tuning family_tuning;

// Choose for the operator's layout, by the level of `options`, and take what was chosen: the
// programs that choosing left behind, which have the rule's configuration, go if another one won.
// `spent` seconds went on the operator's earlier choices. `out` is NULL where there is nothing to
// choose; else the tuning lives as long as what it tells is asked for. Collective.
SEDGE_MUST_USE
sedge_status family_tuning_make(family_tuning **out, sedge_operator_family family,
                                sedge_operator *op, sedge_cache *cache,
                                const sedge_operator_options *options, double spent);
void family_tuning_free(family_tuning *tuning);

const operator_choice *family_tuning_get(const family_tuning *tuning);
