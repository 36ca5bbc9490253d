// Launches of the operator's kernels: counted, and in some steps timed one by one.
#pragma once

#include "base/error.h"
#include "device/device.h"
#include "program/program.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_SAMPLES 256 // launches timed at most until their times are read

typedef enum operator_kernel {
    KERNEL_STAGE,
    KERNEL_STAGE_TERMS, // in elements with terms; only where the stage has some
    KERNEL_PACK,
    KERNEL_BOUNDARY,
    KERNEL_POINT,
    KERNEL_ENERGY,
    KERNEL_ENERGY_SUM,
    KERNEL_PROBE,
    KERNEL_SNAPSHOT,
    KERNEL_CLOCK,
    KERNEL_PREDICT,       // this and the next nine only for integrators with `predictor`
    KERNEL_PREDICT_TERMS, // in elements with terms; only where there are some
    KERNEL_PREDICT_NODES, // the same with terms that differ from node to node
    KERNEL_PREDICT_POINT,
    KERNEL_PREDICT_POINT_MEMORY, // of terms; only where there are some
    KERNEL_COPY_STATES,
    KERNEL_DAMP_CURVED,
    KERNEL_TAKE_TRACES,
    KERNEL_STEP_TRACES,
    KERNEL_PACK_TRACES,
    KERNEL_TWO_SIDED,        // only where the problem has two-sided conditions
    KERNEL_EXPONENTIAL,      // only where terms are exponential, of Runge-Kutta stages
    KERNEL_EXPONENTIAL_STEP, // the same of steps with a prediction
    KERNEL_MEMORY_ENERGY,    // only where terms tell the energy of their memory
    KERNEL_FACE_ENERGY,      // only where conditions on faces do
    KERNEL_CURVED,           // the rest only where the problem has curved elements
    KERNEL_CURVED_ENERGY,
    KERNEL_CURVED_MEMORY_ENERGY,
    KERNEL_SEAMS,          // only where the state is covariant
    KERNEL_PREDICT_CURVED, // only where operator_products_predict
    KERNELS
} operator_kernel;

typedef struct operator_timing {
    operator_kernel kernel;
    sedge_event *from;
    sedge_event *to;
} operator_timing;

typedef struct operator_launcher {
    const sedge_kernel *kernel[KERNELS]; // NULL: not in the operator's programs
    int64_t launches[KERNELS];
    double sampled_seconds[KERNELS];   // of the timed launches, and
    int64_t sampled_launches[KERNELS]; // their number
    bool sampling;                     // launches are timed now
    int samples;                       // whose times are not read yet
    operator_timing sample[SEDGE_SAMPLES];
} operator_launcher;

// Make the events. Clear it in any case, when nothing that was launched still runs.
SEDGE_MUST_USE
sedge_status operator_launcher_init(operator_launcher *launcher, sedge_device *device);
void operator_launcher_clear(operator_launcher *launcher);

// Launch a kernel in `stream`; nothing where there are no blocks.
SEDGE_MUST_USE
sedge_status operator_launch(operator_launcher *launcher, operator_kernel kernel,
                             sedge_stream *stream, int64_t blocks, int threads,
                             void *const *arguments, int count);

// Time each launch between the two, up to SEDGE_SAMPLES of them. The first reads the times of the
// launches that were timed before, and waits for their end.
SEDGE_MUST_USE
sedge_status operator_begin_sampling(operator_launcher *launcher);
void operator_end_sampling(operator_launcher *launcher);

// Read the times of the launches that were timed. Waits for their end.
SEDGE_MUST_USE
sedge_status operator_read_samples(operator_launcher *launcher);
