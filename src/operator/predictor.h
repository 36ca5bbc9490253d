// The predictions of ADER steps on the device (dg/predictor.h): kernels of
// codegen/kernels/dg/dg_series.h, terms/dg_predict.h and dg_predictor.h. A step at a level of the
// time step is
//
//   operator_predict            means of the level's elements over their step, from the state
//   operator_run_stage          what neighbours of other levels and ranks see of them
//                               (step_traces.h), and the state at the step's end
//
// where several levels may begin or end their steps at once.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "forms/layout.h"
#include "forms/target.h"
#include "operator/fields.h"
#include "operator/parts.h"

#include <stdbool.h>

// Of elements with terms (dg_predict.h).
typedef struct operator_predictor_config {
    int block;             // SIMD batches a block
    int threads;           // of it
    int resident;          // threads of a multiprocessor for which registers are limited
    int words;             // of terms' memory at a coefficient
    bool damps;            // whether the last bracket's derivatives are damped
    bool dense;            // whether one matrix does it
    int sum_words;         // of fields and memory at a coefficient of order N - 1 that is raised
    int sum_align;         // bytes by which they are aligned on a GPU
    int stride;            // words of the block's memory for a batch's fields
    int lower_stride;      // the same for fields of order N - 1
    int least_stride;      // and of order N - 2
    int memory_stride;     // the same for its terms' memory
    int sum_stride;        // the same for sums of sum_words
    int64_t scratch_words; // of the block's memory, for each lane
} operator_predictor_config;

// Of elements with a term that differs from node to node (dg_predict_nodes.h).
typedef struct operator_nodes_config {
    int block;             // SIMD batches a block
    int threads;           // of it
    int stride;            // words of the block's memory for a batch's fields
    int lower_stride;      // the same for fields of order N - 1
    int64_t scratch_words; // of the block's memory, for each lane
} operator_nodes_config;

// Do some elements predict by dg_predict.h: those with terms that are the same at all nodes?
bool operator_predicts_terms(const sedge_problem *problem);

// Traces on this rank: halo faces, boundary faces, faces between levels.
int64_t operator_traces(const sedge_operator *op);

// List faces between levels, and boundary faces by levels. SEDGE_ERR_MEMORY. Clear it in any case.
// Not collective.
SEDGE_MUST_USE
sedge_status operator_predictor_create(sedge_operator *op);
void operator_predictor_clear(operator_predictor *predictor);

// What depends on the layout and on the terms. Called once, when they are known. Not collective.
SEDGE_MUST_USE
sedge_status operator_predictor_place(sedge_operator *op);

void operator_predictor_choose(operator_predictor_config *config, const operator_layout *layout,
                               const operator_target *target);

void operator_nodes_choose(operator_nodes_config *config, const operator_layout *layout,
                           const operator_target *target);

// The rule's configuration of the prediction in elements without terms.
void operator_series_choose(operator_series_config *config, const operator_layout *layout,
                            const operator_target *target);

// The configurations among which the tuner chooses, the rule's first, then by their distance from
// it; the rule's alone where blocks have no threads. Returns their number.
int operator_series_list(operator_series_config list[SEDGE_FAMILY_CANDIDATES],
                         const operator_layout *layout, const operator_target *target);

// The name of one of several, by the numbers in which they differ: "prediction b8 p2 f1 a264 r2" of
// elements a block, items that share the sums of a field, folded sums, blocks that are asked for
// ahead, blocks of a multiprocessor.
void operator_series_name(char name[SEDGE_CONFIG_NAME], const operator_series_config *config);

// The elements of a rank that this kernel predicts: straight ones with neither terms nor a source.
// Ranges have either such elements or others.
bool operator_series_predicts(const sedge_operator *op, const sedge_range *range);
int64_t operator_series_elements(const sedge_operator *op);

// Compulsory bytes of their prediction over a step.
double operator_series_bytes(const sedge_operator *op);

// What the tuner measures: their means over dt to fields->residual and, if `halves`, those over the
// first half of dt to fields->u[1].
SEDGE_MUST_USE
sedge_status operator_predict_all_series(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, bool halves, double dt);

// What is behind all other tables of integers that kernels read: the simplices of orders N - 1 and
// N - 2 (dg_lower.h), operator_bernstein_raised of order N - 1, operator_bernstein_lowered of N - 2
// and N - 3. The number of entries, and the entries. None for integrators without `predictor`.
int64_t operator_series_table_entries(const operator_target *target);
void operator_series_fill_table(int16_t *out, const operator_target *target);

// Append the constants of the program that has the kernels; those of time only for integrators
// without `predictor`. `series` NULL: the rule's.
SEDGE_MUST_USE
sedge_status operator_predictor_constants(sedge_text *text, const operator_layout *layout,
                                          const operator_target *target,
                                          const operator_series_config *series);

// Append what dg_series.h calls, then, if `terms`, what dg_predict.h does; nothing for integrators
// without `predictor`.
SEDGE_MUST_USE
sedge_status operator_predictor_write(sedge_text *text, const operator_layout *layout,
                                      const operator_target *target,
                                      const operator_series_config *series, bool terms);

// The means of the elements of levels 0 to `started`, whose steps begin now; the finest's takes dt.
// From the state fields->u[0] to fields->residual, those of the first half of the step, where they
// are needed, to fields->u[1]. What terms do in straight elements over the step is added to the
// state, and their memory is that of the step's end: what is left to the stage is where they
// multiply du/dt. Later work in the main stream sees all this.
SEDGE_MUST_USE
sedge_status operator_predict(sedge_operator *op, const operator_fields *fields, int started,
                              double dt);
