// Kernels that predict ADER steps (predictor.h): which numbers they have, by a rule, and among
// which the tuner chooses; and what of their text is generated. Nothing here needs a device.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "forms/config.h"
#include "forms/layout.h"
#include "forms/target.h"
#include "operator/parts.h"

#include <stdbool.h>
#include <stdint.h>

#define OPERATOR_DAMP_ROWS 4 // of the damping's matrix that an item multiplies by

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
