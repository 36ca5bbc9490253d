// Inside the tuner: the final between two layouts of the data, timed in turns.
#pragma once

#include "base/error.h"
#include "tune/tune_run.h"

// Seconds of the choice `other` in `layout` over those of the choice `first` in layout 0, by turns:
// the median. Both were verified. In time for a few turns at least, whatever the deadline. The data
// are in either layout afterwards.
SEDGE_MUST_USE
sedge_status sedge_tune_compare_layouts(sedge_tune_run *run, const int *first, int layout,
                                        const int *other, double *ratio);
