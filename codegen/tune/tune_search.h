// Inside the tuner: one search on one rank, over all layouts.
#pragma once

#include "base/error.h"
#include "tune/tune_run.h"

// Search within the budget of the level and fill run->result.
SEDGE_MUST_USE
sedge_status sedge_tune_search(sedge_tune_run *run);
