// Inside the elliptic operator: its kernels and device buffers, the place of an element in a
// vector, and the functions that fill buffers and launch kernels. For src/elliptic/*.c only.
#pragma once

#include "elliptic_config.h"
#include "elliptic_curved.h"

#include "array/context.h"
#include "halo/halo.h"
#include "layout/slots.h"
#include "linear/krylov.h"
#include "program/launch.h"
#include "program/program.h"

typedef enum elliptic_kernel {
    ELLIPTIC_FLUX,
    ELLIPTIC_COLLECT,
    ELLIPTIC_APPLY,
    ELLIPTIC_BLOCKS,
    ELLIPTIC_SMOOTH,
    ELLIPTIC_RESTRICT,    // of order 1: the gathering at vertices
    ELLIPTIC_PROLONG,     // of order 1: the scattering
    ELLIPTIC_CURVED_FLUX, // where elements are curved
    ELLIPTIC_CURVED_APPLY,
    ELLIPTIC_KERNELS
} elliptic_kernel;

// The operator's matrices, laid out for a kernel configuration.
typedef struct elliptic_tables {
    sedge_buffer *deriv, *lift, *weak, *mass;
} elliptic_tables;

typedef struct sedge_elliptic {
    const sedge_comm *comm;
    sedge_context *context;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_device *device;

    elliptic_config config;
    sedge_slots slots;

    sedge_program *program;
    const sedge_kernel *kernel[ELLIPTIC_KERNELS];

    sedge_buffer *flux;
    elliptic_tables table;
    sedge_buffer *links, *geometry, *maps;
    sedge_buffer *curves, *curved_operators; // NULL where nothing is curved

    // The halo; NULL where there is none.
    sedge_stream *side;
    sedge_event *ready, *arrived;
    sedge_buffer *halo_list, *packed, *behind; // other ranks' traces
    sedge_halo *halo;
} sedge_elliptic;

// ---- elliptic_upload.c -------------------------------------------------------------------------

// Everything that does not depend on the kernel configuration: layout, geometry, links, maps.
// `faces` of sedge_elliptic_faces.
SEDGE_MUST_USE
sedge_status elliptic_upload(sedge_elliptic *op, const sedge_elliptic_face *faces);

// The place of an element's node in a vector, as number of reals.
int64_t elliptic_index(const sedge_elliptic *op, int32_t element, int node);

// ---- elliptic_curved_run.c ---------------------------------------------------------------------

// Upload the curved elements' operators and maps. `curved` was created with operators.
SEDGE_MUST_USE
sedge_status elliptic_curved_upload(sedge_elliptic *op, const elliptic_curved *curved,
                                    const sedge_elliptic_face *faces);

// out = base b + factor A x
typedef struct elliptic_application {
    sedge_stream *stream;
    const sedge_buffer *x, *b;
    sedge_buffer *out;
    double base, factor;
} elliptic_application;

// Launch the flux kernel, and after it the kernel of A x, for a span of curved elements.
SEDGE_MUST_USE
sedge_status elliptic_curved_flux(sedge_elliptic *op, const elliptic_application *a,
                                  const sedge_span *span);
SEDGE_MUST_USE
sedge_status elliptic_curved_apply(sedge_elliptic *op, const elliptic_application *a,
                                   const sedge_span *span);

// ---- elliptic_tables.c -------------------------------------------------------------------------

// The tables for a kernel configuration. The caller frees them, also on failure.
SEDGE_MUST_USE
sedge_status elliptic_upload_tables(elliptic_tables *out, const sedge_elliptic *op,
                                    const elliptic_config *config);
void elliptic_free_tables(elliptic_tables *table);

// A scalar argument in the run's precision.
sedge_argument elliptic_real(const sedge_elliptic *op, double value);
