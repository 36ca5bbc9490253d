// The stage in curved elements by covariant components (codegen/kernels/dg/curved/dg_covariant.h):
// sizes and operators. curved.h launches it.
#pragma once

#include "operator/parts.h"

// The rule's kernel configuration; SEDGE_ERR_DEVICE where the device has too little memory a block.
SEDGE_MUST_USE
sedge_status operator_covariant_choose(operator_curved_config *config,
                                       const operator_layout *layout, const sedge_device_info *info,
                                       const sedge_problem *problem, const sedge_element *element);

// The operators in the layout's basis, to op->curved.operators, which is NULL before.
SEDGE_MUST_USE
sedge_status operator_covariant_take_basis(sedge_operator *op);

// Behind the tables of dg_layout.h and dg_bernstein.h: the kernel's nodes by orbits. The number of
// entries is 0 where this rank has no curved elements of this kind. `simplices` is the table of
// dg_bernstein.h. SEDGE_ERR_MEMORY.
int64_t operator_covariant_table_entries(const sedge_operator *op);
SEDGE_MUST_USE
sedge_status operator_covariant_fill_table(int16_t *out, const sedge_operator *op,
                                           const int16_t *simplices);

// Compulsory bytes and nominal operations of a stage in all curved elements of this rank.
void operator_covariant_count(const sedge_operator *op, double *bytes, double *flops);
