// Inside the elliptic operator: layout, cut, buffers. For src/elliptic/*.c only.
#pragma once

#include "elliptic.h"
#include "elliptic_curved.h"

#include "halo/halo.h"
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

typedef struct elliptic_cut {
    int real_bytes;
    int lanes;
    bool matrix;               // on matrix units; an item is a warp then
    int tile;                  // nodes an item, where it differentiates
    int tiles;                 // of a value
    int weak_tile, weak_tiles; // where it integrates
    int together;              // values an item
    int block;                 // values a block
    int threads, resident;
    int chunk;                           // values whose geometry lies together, word by word
    int smooth_block;                    // values a block of the level's kernels
    int coarse_nodes;                    // of the order below; 0: there is none
    int64_t flux_scratch, apply_scratch; // bytes

    bool curved;             // the mesh has curved elements: their kernels are needed
    int points, face_points; // quadrature points of a curved element
    int curved_block, curved_threads;
    int curved_chunk;       // number of volume points that are worked on at once
    int curved_words;       // values per element in the block's memory
    int64_t curved_scratch; // bytes
} elliptic_cut;

// The operator's matrices, laid out for a cut.
typedef struct elliptic_tables {
    sedge_buffer *deriv, *lift, *weak, *mass;
} elliptic_tables;

// The SIMD batches of the elements without halo faces, or of those with some. Straight elements
// come first, then curved ones.
typedef struct elliptic_range {
    int64_t first, straight;      // first batch and number of batches of straight elements
    int64_t first_curved, curved; // the same of curved elements
    int64_t first_curve;          // index of the first curved batch among all curved batches
} elliptic_range;

struct sedge_elliptic {
    const sedge_comm *comm;
    sedge_context *context;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_device *device;

    elliptic_cut cut;
    elliptic_range range[2]; // without and with halo faces
    int64_t values;

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
};

// ---- elliptic_cut.c ----------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status elliptic_cut_choose(elliptic_cut *cut, const sedge_device_info *info,
                                 const sedge_element *element, sedge_precision precision,
                                 bool curved, const sedge_elliptic_options *options);

// The program's text and its name.
SEDGE_MUST_USE
sedge_status elliptic_text(sedge_text *text, char name[64], const sedge_device_info *info,
                           const sedge_element *element, const elliptic_cut *cut);

// `count` numbers of a row of an operator's table, filled up to 16 bytes.
int elliptic_width(int real_bytes, int count);

// ---- elliptic_upload.c -------------------------------------------------------------------------

// Everything that does not change with the cut: layout, geometry, links, maps. `faces` of
// sedge_elliptic_faces.
SEDGE_MUST_USE
sedge_status elliptic_upload(sedge_elliptic *op, const sedge_elliptic_face *faces);

// The index of a curved element's slot among all curved slots.
int64_t elliptic_curved_slot(const sedge_elliptic *op, int32_t element);

// The place of an element among the slots; of its node in a vector, as number of reals.
int64_t elliptic_slot(const sedge_elliptic *op, int32_t element);
int64_t elliptic_index(const sedge_elliptic *op, int64_t slot, int node);

// A new buffer filled from `count` items of `size` bytes, which is the end of `from`.
SEDGE_MUST_USE
sedge_status elliptic_upload_list(sedge_buffer **out, const sedge_elliptic *op, void *from,
                                  int64_t count, size_t size);

// array[index] = value, in the operator's precision.
static inline void elliptic_put(const sedge_elliptic *op, void *array, int64_t index, double value)
{
    if (op->problem->precision == SEDGE_FP64) {
        ((double *)array)[index] = value;
    } else {
        ((float *)array)[index] = (float)value;
    }
}

// A new buffer of `count` numbers in the operator's precision.
SEDGE_MUST_USE
sedge_status elliptic_upload_reals(sedge_buffer **out, const sedge_elliptic *op,
                                   const double *values, int64_t count);

// ---- elliptic_curved_run.c ---------------------------------------------------------------------

// Sizes of the curved elements' kernels. SEDGE_ERR_DEVICE where the device has too little memory.
SEDGE_MUST_USE
sedge_status elliptic_curved_choose(elliptic_cut *cut, const sedge_device_info *info,
                                    const sedge_element *element);

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

// Launch the flux kernel, and after it the kernel of A x, for a range's curved elements.
SEDGE_MUST_USE
sedge_status elliptic_curved_flux(sedge_elliptic *op, const elliptic_application *a,
                                  const elliptic_range *range);
SEDGE_MUST_USE
sedge_status elliptic_curved_apply(sedge_elliptic *op, const elliptic_application *a,
                                   const elliptic_range *range);

// ---- elliptic_tables.c -------------------------------------------------------------------------

// The tables of a cut. The caller frees the tables, whatever comes back.
SEDGE_MUST_USE
sedge_status elliptic_upload_tables(elliptic_tables *out, const sedge_elliptic *op,
                                    const elliptic_cut *cut);
void elliptic_free_tables(elliptic_tables *table);

// ---- elliptic_form.c ---------------------------------------------------------------------------

// One number of each element behind the halo faces, [halo faces], from one of each element of this
// rank. Collective.
SEDGE_MUST_USE
sedge_status elliptic_exchange(double *behind, const sedge_comm *comm, const sedge_mesh *mesh,
                               const double *values, int width);

// Outcome of the condition at a place of a boundary face.
sedge_condition elliptic_condition(const sedge_mesh *mesh, const sedge_problem *problem,
                                   const sedge_trace_face *face, const double *x, const double *n);

// Does the condition of this boundary face fix u, or a part of it (a factor)?
bool elliptic_face_fixes(const sedge_mesh *mesh, const sedge_problem *problem,
                         const sedge_trace_face *face);

// A scalar argument in the run's precision.
sedge_argument elliptic_real(const sedge_elliptic *op, double value);

// ---- sets that grow together -------------------------------------------------------------------

// The root of i's set, where `parent` of a root is itself; shortens the way there.
static inline int32_t elliptic_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}
