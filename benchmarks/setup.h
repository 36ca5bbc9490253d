// sedge-bench --setup: what comes before the first time step, in seconds and memory.
#pragma once

#include "options.h"

#include "par/comm.h"
#include "program/program.h"

// Make the mesh of the options (a box of a million tets by default) and an operator of the first
// order and precision on it; print seconds and peak memory of each rank. Collective.
SEDGE_MUST_USE
sedge_status bench_setup(const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                         const bench_options *options);
