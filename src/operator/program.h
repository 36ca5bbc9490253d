// The generated programs of an operator, for the stage and for all other kernels: their sources for
// a problem, a device and a kernel configuration, and the kernels found in them.
#pragma once

#include "forms/request.h"
#include "forms/target.h"
#include "operator/launch.h"
#include "operator/operator.h"

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
