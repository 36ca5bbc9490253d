// The names of the forms: the rows of the table (form.h), in the order in which they are listed.
#pragma once

// X(row, name, text): the row is operator_form_<row> of form_<row>.c; the name is what
// `kernels.variant` and configurations call it, and the text says in a deck's manual what it is.
// The first form serves every equation and device. Of those that a basis, device and equation
// allow, the default is the last one that asks for it (form.h).
#define SEDGE_OPERATOR_FORMS(X)                                                              \
    X(fused, "fused", "for every equation and device")                                       \
    X(tensor, "tensor-curl", "curls by matrix instructions (fp64, NVIDIA)")                  \
    X(bernstein, "bernstein",                                                                \
      "sparse products, coefficients of the Bernstein-Bezier basis instead of nodal values " \
      "(linear equations)")

#define SEDGE_OPERATOR_FORM_WORD(row, name, text) " " name
#define SEDGE_OPERATOR_FORM_TEXT(row, name, text) "; " name ": " text

// What `kernels.variant` may be, separated by blanks; "auto": tuning or the default chooses.
#define SEDGE_OPERATOR_VARIANTS "auto" SEDGE_OPERATOR_FORMS(SEDGE_OPERATOR_FORM_WORD)

// "; fused: for every equation and device; ..."
#define SEDGE_OPERATOR_VARIANT_TEXTS SEDGE_OPERATOR_FORMS(SEDGE_OPERATOR_FORM_TEXT)

#define SEDGE_OPERATOR_NAME 96 // bytes that the name of a program may take
