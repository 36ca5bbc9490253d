// The monitors that a deck has of the kinds in sedge_monitor_kinds, in the table's order.
#pragma once

#include "dg/monitor_kind.h"
#include "monitor/output_parts.h"

typedef struct sedge_monitors sedge_monitors;

// Keeps `context`. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitors_create(sedge_monitors **out, const sedge_output_context *context);
void sedge_monitors_free(sedge_monitors *monitors);

// Does one of them record something at the end of `step`? The same on all ranks.
bool sedge_monitors_due(const sedge_monitors *monitors, int64_t step);

// Let those that are due record the state u [elements][fields][nodes]. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitors_sample(sedge_monitors *monitors, double time, int64_t step,
                                   const double *u);

// Write what they keep. Collective.
SEDGE_MUST_USE
sedge_status sedge_monitors_flush(sedge_monitors *monitors);

// What each remembers: {NAME: {...}, ...}; the caller releases it. NULL if there are none.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_monitors_save(const sedge_monitors *monitors, struct json_t **out);
