// The generated programs of an operator, for the stage and for all other kernels: their sources for
// a problem, a device and a kernel configuration, and the kernels found in them.
#pragma once

#include "forms/request.h"
#include "forms/target.h"
#include "operator/launch.h"
#include "operator/operator.h"
#include "operator/parts.h"

#include "base/hash.h"

operator_target operator_target_of(const sedge_operator *op);

// What the options request of the kernels.
operator_request operator_request_of(const sedge_operator_options *options);

const char *operator_kernel_name(operator_kernel kernel);

// The programs of op->layout, op->config and the configurations of families, and their kernels,
// instead of those before. Collective.
SEDGE_MUST_USE
sedge_status operator_programs_create(sedge_operator *op, sedge_cache *cache);
void operator_programs_free(sedge_operator *op);

// The same, but where tuning has left the rule's programs on all ranks their kernels are taken
// again in place of those of its last candidate, whose program is gone. Collective.
SEDGE_MUST_USE
sedge_status operator_programs_need(sedge_operator *op, sedge_cache *cache);

// Face points that a block of the boundary kernel works on: whole faces where it converts them.
int operator_boundary_points(const sedge_operator *op);

// Take the stage's kernels from a program of op->config.
SEDGE_MUST_USE
sedge_status operator_stage_find(sedge_operator *op, const sedge_program *program);

// Take the kernels of curved elements that share op->curved.config from a program of it.
SEDGE_MUST_USE
sedge_status operator_curved_find(sedge_operator *op, const sedge_program *program);

// Take the kernel of the prediction in elements without terms from a program of
// op->predictor.series.
SEDGE_MUST_USE
sedge_status operator_series_find(sedge_operator *op, const sedge_program *program);

// Append the program of the kernels of curved elements alone, without terms, for elements whose
// state is covariant: what the tuner times.
SEDGE_MUST_USE
sedge_status operator_curved_write(sedge_text *text, const operator_target *target,
                                   const operator_layout *layout,
                                   const operator_curved_config *curved);

// Append the program of the prediction in elements without terms alone.
SEDGE_MUST_USE
sedge_status operator_series_program(sedge_text *text, const operator_target *target,
                                     const operator_layout *layout,
                                     const operator_series_config *series);

// Hash what decides how these programs run on devices of the target's kind, but for configuration
// and size: as operator_forms_hash, of one layout.
SEDGE_MUST_USE
sedge_status operator_family_hash(char hash[SEDGE_HASH_TEXT], sedge_operator_family family,
                                  const operator_target *target, const operator_layout *layout);

// The shape of the kernels that measure energies: a block has `each` elements of `rows` items with
// at most `tile` nodes each; on the host one SIMD batch, all in one item.
typedef struct operator_energy_shape {
    int tile, rows, each;
} operator_energy_shape;

operator_energy_shape operator_energy_choose(const operator_target *target);
