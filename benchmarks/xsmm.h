// A stage of Maxwell's equations as one writes it around libxsmm, for the host: per element the
// derivatives and the lift are products of small dense matrices, compiled at run time by libxsmm;
// geometry, fluxes and update are loops that the compiler vectorises over an element's nodes.
// sedge-bench --beside libxsmm sets the generated kernels against it. Order and precision are fixed
// when it is compiled, as in hand_stage.c; OpenMP over batches of elements.
#pragma once

#include "hand.h"

#include <stdbool.h>

#define XSMM_MOST_BATCH 16

// The operators as the products read them, columns one after the other.
typedef struct xsmm_plan xsmm_plan;

// One Runge-Kutta stage: residual = a residual + dt rhs, next = u + b residual; the two states
// change places. For libxsmm `hand` has one lane a block. false: libxsmm compiled no product for
// this processor, and nothing was done.
typedef bool (*xsmm_stage)(const xsmm_plan *plan, hand_mesh *hand, double a, double b, double dt,
                           int threads);

struct xsmm_plan {
    xsmm_stage stage; // NULL: this order was not written
    int batch;        // elements of a product, 1..XSMM_MOST_BATCH
    void *derivative; // [node m][D_r, D_s, D_t][node n], each m filled up to xsmm_rows(3 nodes)
    void *lift;       // [face point k][node n], each k filled up to xsmm_rows(nodes)
    void *library;    // with the stages: it brings OpenMP, whose waiting the host device sets first
};

// `count` numbers of `real_bytes` bytes filled up to whole cache lines.
int xsmm_rows(int count, int real_bytes);

// The stage `name` for `element`: "libxsmm" with its tables, where `batch` is 1 and may be changed,
// or "loop", that of hand_stage.c. SEDGE_ERR_USAGE: this build has none. Release with xsmm_clear.
SEDGE_MUST_USE
sedge_status xsmm_init(xsmm_plan *plan, const char *name, const sedge_element *element,
                       int real_bytes);
void xsmm_clear(xsmm_plan *plan);
