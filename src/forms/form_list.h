// The names of the forms: the rows of the table (form.h), in the order in which they are listed.
#pragma once

// X(row, name): the row is operator_form_<row> of form_<row>.c; the name is what `kernels.variant`
// and configurations call it. The first one serves every equation and device. Of those that a
// basis, device and equation allow, the default is the last one that asks for it (form.h).
//
// "fused":       derivatives and lift by dense operators, volume and surface in one kernel
// "tensor-curl": curls by matrix instructions, in fp64 on GPUs of NVIDIA
// "bernstein":   sparse operators on coefficients of the Bernstein-Bezier basis instead of nodal
//                values, of linear equations
#define SEDGE_OPERATOR_FORMS(X) \
    X(fused, "fused")           \
    X(tensor, "tensor-curl")    \
    X(bernstein, "bernstein")

#define SEDGE_OPERATOR_FORM_WORD(row, name) " " name

// What `kernels.variant` may be, separated by blanks; "auto": tuning or the default chooses.
#define SEDGE_OPERATOR_VARIANTS "auto" SEDGE_OPERATOR_FORMS(SEDGE_OPERATOR_FORM_WORD)

#define SEDGE_OPERATOR_NAME 96 // bytes that the name of a program may take
