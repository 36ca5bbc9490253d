// The command line of sedge-bench.
#pragma once

#include "base/error.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "operator/operator.h"
#include "time/integrator.h"

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MAX_REPEATS 99

typedef struct bench_options {
    int orders[SEDGE_ORDER_MAX];
    int order_count;
    sedge_precision precisions[2];
    int precision_count;
    const char *device;
    const char *mesh;                  // Gmsh file; NULL: boxes
    int64_t elements[SEDGE_ORDER_MAX]; // of the boxes: by order given, or one for all
    int element_count;                 // 0: the sizes of bench_options_cells
    sedge_numbering numbering;
    bool boundary_last;
    int steps; // a repeat; 0: by the device
    int repeats;
    const sedge_integrator *integrator; // of the stages
    const char *term;                   // in all elements; NULL: none
    sedge_operator_options kernels;
    const char *output; // JSON; NULL: none
    bool quick;
    bool setup;               // measure set-up instead of stages
    bool beside_opencl;       // set the host's stages beside those of OpenCL instead,
    const char *beside_stage; // and of "libxsmm" or "loop"; NULL: of neither
    bool help;
} bench_options;

// Takes the arguments apart; `out` borrows from them. SEDGE_ERR_USAGE names a bad one.
SEDGE_MUST_USE
sedge_status bench_options_parse(bench_options *out, int argc, char **argv);

void bench_options_print_help(void);

// Cubes an axis of the box for the order at `index`: the peers' boxes of 1053696 to 105456 tets on
// a GPU; an eighth of the tets on the host.
int bench_options_cells(const bench_options *options, int index, bool is_gpu);
