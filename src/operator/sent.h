// The shape of kernels that store traces at other ranks.
#pragma once

#include "operator/operator.h"

// Threads of a block of the kernels that store at other ranks, and how many blocks' work one such
// block does, of `blocks` in all. Stores to another GPU hold up all that a multiprocessor has to
// store, so only half of the multiprocessors do them: four H200 with 356 thousand elements each
// take 1.4 to 3.5 % less time for a stage than with stores from all (benchmarks/MEASUREMENTS.md).
int operator_sent_threads(const sedge_device_info *info);
int operator_sent_turns(const sedge_operator *op, int64_t blocks);
