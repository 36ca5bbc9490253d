// Inside the operator: its layout, its kernel configuration, its buffers. For src/operator/*.c
// only.
#pragma once

#include "operator/operator.h"
#include "operator/operator_fields.h"
#include "operator/operator_launch.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "dg/bernstein.h"
#include "dg/cubature.h"
#include "forms/candidates.h"
#include "forms/request.h"
#include "halo/halo.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "time/integrator.h"

#define SEDGE_TRACE_THREADS   128 // as in codegen/kernels/dg/dg_trace.h
#define SEDGE_MONITOR_THREADS 128 // as in codegen/kernels/dg/dg_monitor.h
#define SEDGE_JACOBIAN_WORDS  12  // the same, as in codegen/kernels/dg/dg_tensor.h

// The kernel configuration of the stage in curved elements: by a rule, not tuned.
typedef struct operator_curved_config {
    int points, face_points; // of quadrature, inside and on a face
    int chunk;               // points whose fluxes are in the block's memory at once
    int block;               // values a block
    int threads;             // of it
    int scratch_words;       // values of the block's memory, of each of its values
    int64_t scratch_bytes;   // of all
} operator_curved_config;

typedef struct operator_tuning operator_tuning; // operator_tune.c

// What depends on the layout: what is numbered by slots.
typedef struct operator_data {
    sedge_slots slots;
    sedge_buffer *links, *geometry, *material;
    sedge_buffer *halo, *boundary; // (slot, face) of faces whose traces are sent, or made
    sedge_buffer *curves, *shapes; // maps of curved elements, the latter in fp64
    sedge_buffer *two_sided;       // faces with two-sided conditions: those whose other side is on
                                   // this rank, then the others
} operator_data;

// What depends on the configuration: the operators as its kernels read them.
typedef struct operator_tables {
    sedge_buffer *deriv, *lift;
} operator_tables;

struct sedge_operator {
    const sedge_comm *comm;
    sedge_device *device;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    operator_layout layout;
    operator_config config;
    sedge_bernstein *bernstein; // NULL: not needed so far
    char variant[SEDGE_CONFIG_NAME];
    operator_tuning *tuning;

    sedge_program *program[SEDGE_OPERATOR_PROGRAMS];
    operator_launcher launcher;

    operator_data data;
    operator_tables tables;
    sedge_buffer *trace;
    sedge_buffer *materials;  // more than one material
    sedge_buffer *maps;       // of face nodes
    sedge_buffer *face_basis; // of the layout's basis
    sedge_buffer *boundary_group, *places, *parameters, *kinds;
    int32_t two_sided_here, two_sided_beyond; // counts of data.two_sided

    sedge_buffer *packed; // traces to send; NULL: none
    sedge_halo *halo;

    struct {
        operator_curved_config config;
        sedge_cubature *cubature; // NULL: no curved elements on this rank
        sedge_buffer *operators;
    } curved;

    sedge_stream *main, *side;
    sedge_event *ready, *packed_event, *arrived, *interior_done, *halo_ready, *halo_done;

    int64_t stages;
    double exchange_seconds, exposed_seconds;
};

// ---- operator_program.c ------------------------------------------------------------------------

operator_target operator_target_of(const sedge_operator *op);

// What the options request of the kernels.
operator_request operator_request_of(const sedge_operator_options *options);

const char *operator_kernel_name(operator_kernel kernel);

// The programs of op->layout and op->config and their kernels, instead of those before. Collective.
SEDGE_MUST_USE
sedge_status operator_programs_create(sedge_operator *op, sedge_cache *cache);
void operator_programs_free(sedge_operator *op);

// Face points that a block of the boundary kernel works on: whole faces where it converts them.
int operator_boundary_points(const sedge_operator *op);

// Take the stage's kernels from a program of op->config.
SEDGE_MUST_USE
sedge_status operator_stage_find(sedge_operator *op, const sedge_program *program);

// ---- operator_layout.c -------------------------------------------------------------------------

// Slot of an element in mesh order.
static inline int64_t operator_slot(const sedge_operator *op, int32_t element)
{
    return sedge_slot(&op->data.slots, element);
}

// Store `value` as real number `index` of an array in the run's precision; or fetch it.
static inline void operator_put(const sedge_operator *op, void *array, int64_t index, double value)
{
    sedge_real_put(array, op->layout.real_bytes, index, value);
}

static inline double operator_fetch(const sedge_operator *op, const void *array, int64_t index)
{
    return sedge_real_get(array, op->layout.real_bytes, index);
}

// Index of (slot, field, node) in the device's fields, in real numbers.
int64_t operator_index(const sedge_operator *op, int64_t slot, int field, int node);

// Make and fill the buffers that depend on neither layout nor configuration.
SEDGE_MUST_USE
sedge_status operator_upload(sedge_operator *op);

// Take a layout and make its buffers, instead of those before.
SEDGE_MUST_USE
sedge_status operator_take_layout(sedge_operator *op, const operator_layout *layout);
void operator_data_free(operator_data *data);

// Bytes of each of the fields in the present layout.
int64_t operator_fields_bytes(const sedge_operator *op);

// The operators for op->config.
SEDGE_MUST_USE
sedge_status operator_tables_create(operator_tables *tables, const sedge_operator *op);
void operator_tables_free(operator_tables *tables);

// ---- operator_state.c --------------------------------------------------------------------------

// op->bernstein is there afterwards.
SEDGE_MUST_USE
sedge_status operator_bernstein_need(sedge_operator *op);

// `rows` rows of nodes, in the basis `from`, in place into the basis `to`; work has as many
// numbers. Needs op->bernstein where the two differ.
void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows);

// ---- operator_tune.c ---------------------------------------------------------------------------

// Choose layout and configuration: the requested ones, else what sedge_tune chooses; and take them.
// Leaves the stage's program and its tables to be made. Collective.
SEDGE_MUST_USE
sedge_status operator_tune(sedge_operator *op, sedge_cache *cache,
                           const sedge_operator_options *options);
void operator_tuning_free(operator_tuning *tuning);

// ---- operator_sample.c -------------------------------------------------------------------------

// Known fields in a sample of elements and in their neighbours, and what the slow reference makes
// of them in a stage. Of one rank alone, whatever others do.
typedef struct operator_sample operator_sample;

SEDGE_MUST_USE
sedge_status operator_sample_create(operator_sample **out, sedge_operator *op);
void operator_sample_free(operator_sample *sample);

// Whether it is of the present layout's basis: known fields are what the device keeps.
bool operator_sample_fits(const operator_sample *sample, const sedge_operator *op);

// Fill fields `on` the device, of the present layout, those of the sample with what is known.
SEDGE_MUST_USE
sedge_status operator_sample_fill(const operator_sample *sample, sedge_operator *op,
                                  const operator_fields *on);

// Put one stage of the present configuration into `stream`: what is timed.
SEDGE_MUST_USE
sedge_status operator_sample_launch(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on, sedge_stream *stream);

// Run it from the known fields; SEDGE_ERR_COMPUTE says where it differs from the reference.
SEDGE_MUST_USE
sedge_status operator_sample_verify(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on);

// ---- operator_curved.c -------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status operator_curved_choose(operator_curved_config *config, const operator_layout *layout,
                                    const sedge_device_info *info, const sedge_problem *problem,
                                    const sedge_element *element);

// What does not depend on the layout; the operators in the layout's basis (which needs
// op->bernstein where it is not nodal); and the maps of the present layout.
SEDGE_MUST_USE
sedge_status operator_curved_create(sedge_operator *op);
SEDGE_MUST_USE
sedge_status operator_curved_take_basis(sedge_operator *op);
SEDGE_MUST_USE
sedge_status operator_curved_take_layout(sedge_operator *op);
void operator_curved_free(sedge_operator *op);

// The stage in the curved elements that need other ranks' traces (`halo`), or in the others.
SEDGE_MUST_USE
sedge_status operator_run_curved(sedge_operator *op, const operator_fields *fields,
                                 sedge_stream *stream, bool halo, const sedge_stage *stage);
// The energies of curved elements, into `slots` [slots], by the weights of each field's square.
SEDGE_MUST_USE
sedge_status operator_run_curved_energy(sedge_operator *op, const operator_fields *fields,
                                        const sedge_buffer *energy_weights,
                                        const sedge_buffer *slots);

void operator_curved_count(const sedge_operator *op, double *bytes, double *flops);

// ---- operator_cost.c ---------------------------------------------------------------------------

// Compulsory bytes and nominal operations of one kernel in a stage, in all elements of this rank.
void operator_count(const sedge_operator *op, operator_kernel kernel, double *bytes, double *flops);

// ---- operator_two_sided.c ----------------------------------------------------------------------

// List the faces with two-sided conditions by the present layout. Nothing without such conditions.
SEDGE_MUST_USE
sedge_status operator_two_sided_upload(sedge_operator *op);

// Fill the trace slots of faces whose other side is on this rank, or (`remote`) of those whose
// other side's trace has arrived from another, at the step's beginning plus `delay`.
SEDGE_MUST_USE
sedge_status operator_two_sided_run(sedge_operator *op, const operator_fields *fields,
                                    sedge_stream *stream, bool remote, double delay);

// ---- operator_halo.c ---------------------------------------------------------------------------

// What brings other ranks' traces to op->trace. Collective.
SEDGE_MUST_USE
sedge_status operator_halo_create(sedge_operator *op);

// Collect the traces of halo faces and let them travel, in the side stream.
SEDGE_MUST_USE
sedge_status operator_halo_send(sedge_operator *op, const operator_fields *fields);

// Later work in the side stream sees the other ranks' traces.
SEDGE_MUST_USE
sedge_status operator_halo_receive(sedge_operator *op);

// Behind the stage's work: times of the exchange, of a GPU only in a sampled step, which waits.
SEDGE_MUST_USE
sedge_status operator_halo_note(sedge_operator *op);

// ---- operator_run.c ----------------------------------------------------------------------------

// A stage of all elements, from u[0] to u[1].
SEDGE_MUST_USE
sedge_status operator_run_stage(sedge_operator *op, const operator_fields *fields,
                                const sedge_stage *stage);

// Until all queued work is done.
SEDGE_MUST_USE
sedge_status operator_wait(sedge_operator *op);

// All straight values through the stage.
SEDGE_MUST_USE
sedge_status operator_run_straight(sedge_operator *op, const operator_fields *fields,
                                   sedge_stream *stream, const sedge_stage *stage);

// A scalar kernel argument in the run's precision.
typedef union operator_real {
    float f;
    double d;
} operator_real;

operator_real operator_scalar(const sedge_operator *op, double value);
