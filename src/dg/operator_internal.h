// Inside the operator: its shape, its layout, its buffers. For src/dg/operator*.c only.
#pragma once

#include "dg/operator.h"

#include "base/memory.h"
#include "time/lsrk.h"

#define SEDGE_TRACE_THREADS   128 // as in codegen/kernels/dg_trace.h
#define SEDGE_MONITOR_THREADS 128 // as in codegen/kernels/dg_monitor.h
#define SEDGE_GEOMETRY_WORDS  28  // of an element, as in codegen/kernels/dg_stage.h
#define SEDGE_SAMPLE_EVERY    50  // steps between those whose launches are timed
#define SEDGE_SAMPLE_FIRST    2   // the first of them: the caches are warm
#define SEDGE_SAMPLES         256 // launches timed in one such step at most

// How the kernels are cut: the tunable numbers of dg_stage.h and what follows from them.
typedef struct operator_shape {
    bool fused;
    int lanes;      // slots a value
    int block;      // values a block
    int item_nodes; // nodes an item: a tile
    int tiles;      // for the nodes of one value
    int lift_nodes; // nodes an item in the lift
    int lift_tiles;
    int threads;      // of a block
    int field_block;  // fields differentiated together
    int lift_block;   // fields lifted together
    int pack;         // words of a vector load
    int group;        // nodes or face points whose words fill whole packs
    int nodes_padded; // nodes of an element, filled up to whole groups
    int deriv_width;  // numbers of D_r, D_s, D_t a tile and group, padded for vector loads
    int lift_width;   // the same of the lift
    int state_align;  // bytes
    int real_bytes;
    int64_t scratch_words; // values of the block's memory
    int64_t scratch_bytes;
} operator_shape;

// Where the elements lie: slots, interior ones first, both ranges filled up to whole values.
typedef struct operator_layout {
    int64_t interior_values;
    int64_t edge_values;
    int64_t values;    // interior + edge
    int64_t slots;     // values * lanes
    int64_t edge_slot; // slot of element mesh->interior
} operator_layout;

typedef enum operator_kernel {
    KERNEL_STAGE,
    KERNEL_VOLUME,
    KERNEL_SURFACE,
    KERNEL_PACK,
    KERNEL_BOUNDARY,
    KERNEL_POINT,
    KERNEL_ENERGY,
    KERNEL_PROBE,
    KERNELS
} operator_kernel;

typedef struct operator_point {
    int64_t slot;
    const double *signal; // of the problem
    sedge_buffer *weights;
} operator_point;

typedef struct operator_sample {
    operator_kernel kernel;
    sedge_event *from;
    sedge_event *to;
} operator_sample;

struct sedge_operator {
    const sedge_comm *comm;
    sedge_device *device;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    operator_shape shape;
    operator_layout layout;
    char variant[64];

    sedge_program *program;
    const sedge_kernel *kernel[KERNELS]; // NULL: not in this program

    sedge_buffer *u[2]; // u[0] is the current state
    sedge_buffer *residual;
    sedge_buffer *trace;
    sedge_buffer *links, *geometry;
    sedge_buffer *material, *materials; // more than one material
    sedge_buffer *deriv, *lift, *tables;
    sedge_buffer *half_jacobian, *mass, *energy, *energy_weights;

    sedge_buffer *boundary, *boundary_group, *places, *parameters, *kinds;

    sedge_buffer *halo, *packed; // traces to send, on the device
    void *send, *receive;        // the same in pinned host memory, and what comes
    sedge_exchange *exchange;

    int points;
    operator_point *point;

    int probes;
    int capacity; // samples the ring holds
    int recorded;
    sedge_buffer *probe_slots, *probe_weights, *probe_samples;

    sedge_stream *main, *side;
    sedge_event *ready, *packed_event, *arrived, *interior_done;

    int64_t steps, stages;
    int64_t launches[KERNELS];
    double sampled_seconds[KERNELS];
    int64_t sampled_launches[KERNELS];
    bool sampling;
    bool always_sample;
    int samples;
    operator_sample sample[SEDGE_SAMPLES];
    double exchange_seconds, exposed_seconds;
};

// ---- operator_shape.c --------------------------------------------------------------------------

// The rule's choice for this device, order and precision, with the options' wishes; a wish that
// does not fit (shared memory, threads) is SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status operator_shape_choose(operator_shape *shape, const sedge_device_info *info,
                                   const sedge_problem *problem, const sedge_element *element,
                                   const sedge_operator_options *options);

// The constants before the kernel sources.
SEDGE_MUST_USE
sedge_status operator_constants_write(sedge_text *text, const operator_shape *shape,
                                      const sedge_problem *problem, const sedge_element *element);

// ---- operator_layout.c -------------------------------------------------------------------------

void operator_layout_compute(operator_layout *layout, const sedge_mesh *mesh, int lanes);

// Slot of an element in mesh order.
int64_t operator_slot(const sedge_operator *op, int32_t element);

// Make and fill the buffers that hold mesh, materials and operators.
SEDGE_MUST_USE
sedge_status operator_upload(sedge_operator *op);

// ---- operator_monitor.c ------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status operator_points_create(sedge_operator *op);

// ---- operator.c --------------------------------------------------------------------------------

// Launch one kernel of this operator in `stream`, timed if the step is sampled.
SEDGE_MUST_USE
sedge_status operator_launch(sedge_operator *op, operator_kernel kernel, sedge_stream *stream,
                             int64_t blocks, int threads, void *const *arguments, int count);

// A scalar kernel argument in the run's precision.
typedef union operator_real {
    float f;
    double d;
} operator_real;

operator_real operator_scalar(const sedge_operator *op, double value);
