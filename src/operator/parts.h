// The members of sedge_operator: its buffers, kernels, streams and events. Only src/operator and
// src/evolve include this.
#pragma once

#include "operator/launch.h"
#include "operator/operator.h"
#include "operator/terms.h"

#include "device/fan.h"
#include "dg/bernstein.h"
#include "dg/cubature.h"
#include "dg/predictor.h"
#include "forms/config.h"
#include "forms/layout.h"
#include "halo/halo.h"
#include "layout/mesh_upload.h"
#include "layout/slots.h"

#define SEDGE_TRACE_THREADS   128 // as in codegen/kernels/dg/dg_points.h
#define SEDGE_MONITOR_THREADS 128 // as in codegen/kernels/dg/dg_points.h

// What depends on the layout: what is numbered by slots.
typedef struct operator_data {
    sedge_slots slots;
    sedge_buffer *links, *geometry, *material;
    sedge_buffer *halo, *boundary; // (slot, face) of faces whose traces are sent, or made
    sedge_buffer *curves, *shapes; // maps of curved elements, the latter in fp64
    sedge_buffer *seams;           // where straight elements meet curved ones whose state is
                                   // covariant (seams.h), each list as that of two-sided faces
    sedge_buffer *seam_matrices;   // of these faces, then of two-sided ones
    int32_t seam_end[2][SEDGE_LEVELS_MAX];
    sedge_buffer *two_sided; // faces with two-sided conditions: those whose other side is on
                             // this rank, then the others, each by the own side's level
    sedge_buffer *turns;     // what such faces with a phase add (dg_two_sided.h)
    int32_t two_sided_end[2][SEDGE_LEVELS_MAX]; // of the faces of each level in this list
} operator_data;

// What depends on the configuration: the matrices as its kernels read them.
typedef struct operator_tables {
    sedge_buffer *deriv, *lift;
} operator_tables;

// What kernels read, and write, at faces.
typedef struct operator_faces {
    sedge_buffer *trace;              // from the other sides: halo faces, then boundary faces
    sedge_buffer *maps;               // of face nodes
    sedge_buffer *basis;              // of the layout's basis: to nodal values of a face and back
    sedge_buffer *group, *places;     // of boundary faces: their surfaces, where their nodes are
    sedge_buffer *parameters, *kinds; // of surfaces
    sedge_buffer *memory;             // of boundary faces: their rows in the block of their memory,
                                      // or -1; NULL: no face of the problem has memory
    sedge_buffer *frame_rows;         // [boundary faces] rows of `frames`, or -1; NULL: no frames
    sedge_buffer *frames;         // [rows][face nodes][12], of faces of curved elements whose state
                                  // is covariant: dx/dr, then the normal
    sedge_buffer *memory_normals; // [rows][face nodes][3]; NULL: no memory, or no curved element
} operator_faces;

// The exchange of traces with other ranks.
typedef struct operator_exchange {
    sedge_halo *halo;
    sedge_buffer *packed;            // traces to send; NULL: none
    sedge_buffer *parcels;           // where they go, by turns of the halo, then a counter of
                                     // blocks; NULL: none
    int parcel_count;                // of one turn
    sedge_event *sent, *arrived;     // packed and on their way; in the trace buffer
    double seconds, exposed_seconds; // as in sedge_operator_cost
    int64_t timed;                   // exchanges in them
} operator_exchange;

#define SEDGE_FAMILY_CANDIDATES 32 // of the configuration of a family of kernels, at most

// The kernel configuration of the stage in curved elements: tuned where the state is covariant,
// else by a rule.
typedef struct operator_curved_config {
    int points, face_points; // of quadrature, inside and on a face
    int chunk;               // points whose fluxes are in the block's memory at once, or their
                             // orbits (codegen/kernels/dg/curved/dg_covariant*.h)
    int block;               // SIMD batches a block
    int tile, rows;          // batches and rows that an item of a product works on
    int orbits[3];           // of points, nodes and lower coefficients there
    int threads;             // of it
    int scratch_words;       // words of the block's memory for each lane
    int resident;            // threads of a multiprocessor for which registers are limited
    int ahead;               // columns of an operator that a GPU reads ahead
    int twos;                // of a covariant state: pairs of words that a thread has at once at
                             // the stage's end
    int coded;               // 1: the operators' entries are constants of the code
    int in_place;            // 1: products of a covariant state write where they read
    int covariant;           // 1: the state is covariant (dg_covariant_state.h)
    int column_rows, column_stride; // there: of a column; words of a value's columns
    int target_rows, target_stride; // the same of the columns that products write
    int64_t scratch_bytes;          // of its memory
} operator_curved_config;

// A face of a straight element behind which is a curved one, on this rank or on another.
typedef struct operator_seam {
    int32_t element, face;
} operator_seam;

// What curved elements need, where this rank has some; `seam` and `curved_behind` only where the
// state may be covariant.
typedef struct operator_curved {
    operator_curved_config config;
    sedge_cubature *cubature; // NULL: this rank has none
    sedge_buffer *operators;
    operator_seam *seam;    // [seams]
    int32_t seams;          // they have trace slots behind all others
    uint8_t *curved_behind; // [halo faces] whether the element of the other rank is curved
} operator_curved;

// The kernel configuration of the prediction in elements without terms (dg_series.h); power k of L
// is at k - 1.
typedef struct operator_series_config {
    int block;                           // SIMD batches a block
    int places;                          // items that share a batch
    int parts;                           // items that share the sums of one of its fields
    int columns;                         // items of a part: its fields, filled up
    int threads;                         // of a block
    int resident;                        // threads of a multiprocessor for which registers are
                                         // limited
    int ahead;                           // blocks between a block and the one for which it asks the
                                         // L2 cache; 0: it does not
    int powers;                          // of L
    int nodes[SEDGE_PREDICTOR_POWERS];   // coefficients
    int at[SEDGE_PREDICTOR_POWERS];      // words before it in the block's memory of a batch
    int table[SEDGE_PREDICTOR_POWERS];   // where its simplices begin among the tables
    int words;                           // of all powers of a batch
    bool folds;                          // are sums of higher powers written to memory first?
    bool lowers;                         // are T w_1 and T T w_1 in memory, too (dg_series.h)?
    int lowered[SEDGE_PREDICTOR_POWERS]; // words before T w_1 (at 1) and T T w_1 (at 2)
    int weights[SEDGE_PREDICTOR_POWERS]; // where its weights begin among the tables
    int state_stride;                    // words of a batch's state in the block's memory
    int stride;                          // the same of its powers
    int64_t scratch_words;               // of the block's memory, for each lane
} operator_series_config;

// Consecutive straight SIMD batches of a level that one launch predicts.
typedef struct operator_predictor_run {
    int64_t first, count;
    int level;
    bool finer;  // some have neighbours of the level below, which need the first half's mean
    bool terms;  // a source or terms act there
    bool varies; // a term differs from node to node
} operator_predictor_run;

// A term's memory in curved elements while they predict: first that of elements without halo faces,
// then that of the others. All NULL: no curved element of this rank has memory of the term.
typedef struct operator_bracket {
    sedge_buffer *w[2];   // brackets by turns; at last, until the stage, their mean in the first
    sedge_buffer *places; // [SIMD batches] among the curved ones that have the term, with halo
                          // faces or without; -1: not among them
    int64_t count[2];     // [halo] of these batches
    int64_t first[2];     // [halo] the first one's place in the term's memory
} operator_bracket;

// What predictions need; for integrators without `predictor` the boundary faces alone.
typedef struct operator_predictor {
    operator_series_config series; // of the layout
    sedge_level_face *level_face;  // [level_faces] between levels
    int64_t level_faces;
    sedge_buffer *step_faces;    // [level_faces] as dg_predictor.h has them
    sedge_buffer *step_halo;     // [halo faces] the same, of faces of other ranks
    sedge_buffer *closed;        // links [slots] from each face to itself; NULL: nothing is curved
    sedge_buffer *damping;       // [nodes][nodes] of curved elements; NULL: none, or no damping
    sedge_buffer *halves;        // states: means of curved elements with finer neighbours over the
                                 // first half of a step, while that over the step is made
    sedge_buffer *slope_damping; // the same of derivatives in straight ones with terms, of order
                                 // N - 1 and rows filled up (dg_predict.h); NULL: by sums
    sedge_buffer *nodes; // matrices of dg_predict_nodes.h; NULL: no term differs from node to node
    sedge_buffer *materials; // [levels][volume groups][values] (sedge_exponential_materials); NULL:
                             // those of stages
    uint64_t materials_at[SEDGE_LEVELS_MAX];       // where a level's materials are
    operator_bracket bracket[SEDGE_MAX_KINDS + 1]; // of each term
    operator_predictor_run *run;                   // [runs]
    int runs;
    int64_t pair_faces[SEDGE_LEVELS_MAX]; // faces whose lesser level is at most l: the first of the
                                          // list
    // Boundary faces of elements of a level, consecutive ones: [halo][curved][level].
    struct {
        int32_t first, count;
    } boundary[2][2][SEDGE_LEVELS_MAX];
} operator_predictor;

// The order of the two streams within a stage, and what may run beside them.
typedef struct operator_events {
    sedge_fan main, side;
    sedge_event *ready;         // the state, for the side stream
    sedge_event *traces_ready;  // boundary traces, where the main stream makes them
    sedge_event *seams_ready;   // those and the seams
    sedge_event *interior_done; // the elements of the main stream
    sedge_event *side_done;     // the elements of the side stream
} operator_events;

struct sedge_operator {
    // What it was created for, borrowed.
    const sedge_comm *comm;
    sedge_device *device;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    int threads; // of the host, for the work on all elements

    // What was chosen.
    operator_layout layout;
    operator_config config;
    char variant[SEDGE_CONFIG_NAME];
    char family_variant[SEDGE_FAMILIES][SEDGE_CONFIG_NAME]; // "": the rule's, which is the only one
    struct operator_tuning *tuning;                         // tune.h

    // Kernels.
    sedge_program *program[SEDGE_OPERATOR_PROGRAMS];
    operator_launcher launcher;
    int64_t stages; // run so far

    // What they read.
    sedge_bernstein *bernstein; // NULL: not needed so far
    sedge_buffer *materials;    // more than one material
    operator_data data;
    operator_tables tables;
    operator_faces faces;
    operator_curved curved;
    operator_terms terms; // made when the layout is chosen
    operator_predictor predictor;

    // Their order: curved and boundary elements, and the exchange, may run beside the interior.
    operator_exchange exchange;
    sedge_stream *main, *side;
    operator_events events;
};
