// The stage in curved elements by covariant components (codegen/kernels/dg/curved/dg_covariant.h,
// dg_covariant_state.h): sizes and operators. curved.h launches it.
#pragma once

#include "operator/parts.h"

// A list of numbers in the device's precision, which the kernels of curved elements read.
typedef struct operator_writer {
    int real_bytes;
    void *list;
    int64_t at; // numbers in the list so far
} operator_writer;

void operator_write_real(operator_writer *w, double value);

// A matrix [rows][columns], its columns first.
void operator_write_turned(operator_writer *w, const double *matrix, int rows, int columns);

void operator_write_places(operator_writer *w, double (*place)[3], int count);

// The rule's kernel configuration; SEDGE_ERR_DEVICE where the device has too little memory a block.
SEDGE_MUST_USE
sedge_status operator_covariant_choose(operator_curved_config *config,
                                       const operator_layout *layout, const sedge_device_info *info,
                                       const sedge_problem *problem, const sedge_element *element);

// As operator_curved_list, where the state of curved elements is covariant.
SEDGE_MUST_USE
sedge_status operator_covariant_list(operator_curved_config list[SEDGE_FAMILY_CANDIDATES],
                                     int *count, const operator_layout *layout,
                                     const sedge_device_info *info, const sedge_problem *problem,
                                     const sedge_element *element);

// The operators in the layout's basis, to op->curved.operators, which is NULL before.
SEDGE_MUST_USE
sedge_status operator_covariant_take_basis(sedge_operator *op);

// What takes the covariant components behind a face, in the neighbour's numbers by a link's code,
// to those along the two tangents of the own face.
void operator_covariant_across(double across[2][3], const sedge_element *element, int code);

// Behind the tables of dg_layout.h and dg_bernstein.h: the kernel's nodes by orbits, and the
// coefficients of order N - 1 below them (dg_covariant_predict.h). The number of entries is 0 where
// this rank has no curved elements of this kind. `simplices` is the table of dg_bernstein.h.
// SEDGE_ERR_MEMORY.
int64_t operator_covariant_table_entries(const sedge_operator *op);
SEDGE_MUST_USE
sedge_status operator_covariant_fill_table(int16_t *out, sedge_operator *op,
                                           const int16_t *simplices);

// Compulsory bytes and nominal operations of a stage in all curved elements of this rank.
void operator_covariant_count(const sedge_operator *op, double *bytes, double *flops);
