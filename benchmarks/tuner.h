// The comparison of the tuner's quick choice with the exhaustive one.
#pragma once

#include "array/context.h"
#include "program/program.h"
#include "tune/tune.h"

#include <stdbool.h>

typedef struct bench_tuning {
    sedge_device *device;
    sedge_cache *cache;
    int repeats; // of the quick search; the exhaustive one runs once
    bool tables; // print those of the first quick search, too
    bool six;    // with two of the stages only
    bool large;  // problems of a GPU's size
} bench_tuning;

void bench_tuning_print_head(void);

// One line an operation of the task: candidates, the best of all, the quick winner of each repeat
// as the exhaustive search timed it, the seconds and calls of the compiler of each, the seconds of
// the exhaustive one.
SEDGE_MUST_USE
sedge_status bench_tuning_compare(const bench_tuning *bench, const sedge_tune_task *task);

// Kernels that are templates, on the device of `context`.
SEDGE_MUST_USE
sedge_status bench_tuning_run_templates(sedge_context *context, const bench_tuning *bench);

// The kernels of the DG operator. `comm` has one rank.
SEDGE_MUST_USE
sedge_status bench_tuning_run_own(const sedge_comm *comm, const bench_tuning *bench);
