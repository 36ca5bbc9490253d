// sedge-bench --beside: the host's kernels beside other ways to run the same stage on a processor.
#pragma once

#include "options.h"

#include "par/comm.h"
#include "program/program.h"

// For each order and precision of the options one line: the stage on `device`, which is the host,
// beside what options->beside names, by turns in this process; and the part of the measured
// ceilings that the host reaches. All start from the same state and must give the same fields. One
// rank.
SEDGE_MUST_USE
sedge_status bench_beside(const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                          const bench_options *options);
