// Inside the tuner: the final between two layouts of the data, timed in turns.
#pragma once

#include "base/error.h"
#include "tune/tune_run.h"

// Time two candidates in turns: `first` in layout 0 and `other` in `layout`. `*ratio` is the median
// over the turns of the time of `other` divided by the time of `first`. Both choices have been
// verified. A few turns are taken even if the deadline has passed. Afterwards the data may be in
// either layout.
SEDGE_MUST_USE
sedge_status sedge_tune_compare_layouts(sedge_tune_run *run, int first, int layout, int other,
                                        double *ratio);
