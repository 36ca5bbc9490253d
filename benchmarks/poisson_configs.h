// Configurations of the elliptic kernels, each timed: how the rule in elliptic_config.c was found.
#pragma once

#include "array/context.h"
#include "elliptic/elliptic.h"

// y = A x, to be timed.
typedef struct bench_apply {
    sedge_elliptic *op;
    sedge_buffer *x, *y;
} bench_apply;

// `context` is a bench_apply.
SEDGE_MUST_USE
sedge_status bench_run_apply(void *context, sedge_stream *stream);

typedef struct bench_configs {
    const sedge_comm *comm;
    sedge_device *device;
    sedge_context *context;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    bool matrix;     // on matrix units
    int configs;     // the most promising by a model
    int part, parts; // of which every parts-th
} bench_configs;

// One line on stdout for each configuration. On a mesh of at most 10^6 unknowns each result is
// compared with the rule's.
SEDGE_MUST_USE
sedge_status bench_time_configs(const bench_configs *bench);
