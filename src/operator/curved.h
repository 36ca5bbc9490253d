// The stage, the energy and the prediction in curved elements
// (codegen/kernels/dg/curved/dg_curved.h).
#pragma once

#include "operator/fields.h"
#include "operator/parts.h"
#include "time/integrator.h"

// The rule's kernel configuration; SEDGE_ERR_DEVICE where the device has too little memory a block.
SEDGE_MUST_USE
sedge_status operator_curved_choose(operator_curved_config *config, const operator_layout *layout,
                                    const sedge_device_info *info, const sedge_problem *problem,
                                    const sedge_element *element);

// The configurations among which the tuner chooses, the rule's first, then by their distance from
// it; other numbers than the rule's only where the state is covariant and blocks have threads. They
// have the same operators and do the same sums in the same order. Fails as operator_curved_choose.
SEDGE_MUST_USE
sedge_status operator_curved_list(operator_curved_config list[SEDGE_FAMILY_CANDIDATES], int *count,
                                  const operator_layout *layout, const sedge_device_info *info,
                                  const sedge_problem *problem, const sedge_element *element);

// The name of one of several, by the numbers in which they differ: "curved b16 t256 r4 w4" of
// batches and threads a block, blocks of a multiprocessor, pairs of words at once; where products
// are not code "curved b8 t192 r2 w4 a4 k2", with columns read ahead and batches an item.
void operator_curved_name(char name[SEDGE_CONFIG_NAME], const operator_curved_config *config);

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

// What the tuner measures: the stage in all curved elements of this rank; and their prediction over
// dt where it has the stage's configuration (operator_products_predict), else nothing.
SEDGE_MUST_USE
sedge_status operator_run_all_curved(sedge_operator *op, const operator_fields *fields,
                                     sedge_stream *stream, const sedge_stage *stage);
SEDGE_MUST_USE
sedge_status operator_predict_all_curved(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, double dt);

// The energies of curved elements, into `slots` [slots], by the weights of each field's square.
SEDGE_MUST_USE
sedge_status operator_run_curved_energy(sedge_operator *op, const operator_fields *fields,
                                        const sedge_buffer *energy_weights,
                                        const sedge_buffer *slots);

// Add the energies of a term's memory in curved elements to `slots` [slots], by the weights of each
// component's square in each volume group.
SEDGE_MUST_USE
sedge_status operator_run_curved_memory_energy(sedge_operator *op, const operator_device_term *term,
                                               const operator_term_memory *memory,
                                               const sedge_buffer *memory_weights,
                                               const sedge_buffer *slots);

// The orientation in which a face meets itself node by node; -1: none.
int operator_identity(const sedge_element *element);

// Compulsory bytes and nominal operations of a stage in all curved elements of this rank.
void operator_curved_count(const sedge_operator *op, double *bytes, double *flops);

// The prediction (dg/predictor.h): passes of the stage's kernel in which each face meets itself,
// from the innermost bracket of
//
//   bracket = u + f_1 dt L (u + f_2 dt L (u + ..)),   mean = bracket + Q (bracket - u) / f_1,
//
// each of which adds to a copy of u; then a product with the matrix Q / f_1. The terms' memory has
// the same brackets, without Q. Where the state is the coefficients of covariant components,
// elements without terms and sources need no passes: one kernel does it all
// (codegen/kernels/dg/curved/dg_covariant_predict.h).
//
// Make op->predictor's `closed`, `damping`, `halves` and `bracket`, which operator_predictor_clear
// frees. Not collective.
SEDGE_MUST_USE
sedge_status operator_curved_place_predictor(sedge_operator *op);

// Means over a step of dt of the curved elements of a level, with halo faces or without, from
// fields->u[0] to fields->residual, and of their memory from fields->memory to op->predictor's
// `bracket`. Where they have finer neighbours, fields->u[1] gets the means over the first half of
// the step; elsewhere theirs may be overwritten.
SEDGE_MUST_USE
sedge_status operator_predict_curved(sedge_operator *op, const operator_fields *fields,
                                     sedge_stream *stream, bool halo, int level, double dt);
