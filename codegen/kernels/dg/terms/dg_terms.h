// All terms of a program (dg_term.h), as the kernels of a stage call them. SEDGE_EACH_TERM(X) lists
// their numbers, SEDGE_TERMS_LIST their parameters in a kernel (dg_layout.h). Where some terms say
// what the others get in place of the fields, SEDGE_EACH_DRIVE(X) lists the former and
// SEDGE_EACH_DRIVEN(X) the latter. Terms that multiply du/dt are not among these: where there are
// some, SEDGE_EACH_MULTIPLY(X) lists them.
#pragma once

#ifdef SEDGE_EACH_MULTIPLY
// rate, a part of du/dt at a node, times the matrices of the terms that multiply it.
SEDGE_FUNCTION void multiply_rate(sedge_value *rate, sedge_int64 batch,
                                  const SEDGE_GLOBAL int *SEDGE_RESTRICT material
                                      SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
#define SEDGE_MULTIPLY(i) \
    multiply_term_##i(rate, batch, material, term_places_##i, term_parameters_##i);
    SEDGE_EACH_MULTIPLY(SEDGE_MULTIPLY)
}
#define SEDGE_MULTIPLY_RATES(rate)   \
    SEDGE_EACH (i, SEDGE_TERM_NODES) \
        multiply_rate(rate + i * SEDGE_FIELDS, batch, material SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#else
#define SEDGE_MULTIPLY_RATES(rate)
#endif

// rate += what the terms add to du/dt at SEDGE_TERM_NODES nodes from n on, where the state before
// the stage is `own`. A stage takes each node once: the terms' memory goes on by the stage. Where
// terms multiply du/dt, what `rate` holds before is multiplied, too.
SEDGE_FUNCTION void add_terms(sedge_value *rate, const sedge_value *own, sedge_int64 batch, int n,
                              const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                              const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                              const sedge_substep rk,
                              double t SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
#define SEDGE_ADD_TERM(i)                                                          \
    add_term_##i(rate, own, batch, n, material, materials, rk, t, term_places_##i, \
                 term_memory_##i, term_next_##i, term_residual_##i, term_parameters_##i);
#ifdef SEDGE_TERMS_PREDICTED // all but the matrices was done with the prediction (dg_predict.h)
    SEDGE_MULTIPLY_RATES(rate)
#elif defined SEDGE_EACH_DRIVE
#define SEDGE_ADD_DRIVE(i) \
    drive_term_##i(seen, batch, n, material, term_places_##i, term_memory_##i, term_parameters_##i);
#define SEDGE_ADD_DRIVEN(i)                                                         \
    add_term_##i(rate, seen, batch, n, material, materials, rk, t, term_places_##i, \
                 term_memory_##i, term_next_##i, term_residual_##i, term_parameters_##i);
    sedge_value seen[SEDGE_FIELDS]; // of one node: forms take no more here

    SEDGE_EACH (f, SEDGE_FIELDS) seen[f] = own[f];
    SEDGE_EACH_DRIVE(SEDGE_ADD_DRIVE) // before their memory goes on
    SEDGE_EACH_DRIVEN(SEDGE_ADD_DRIVEN)
    SEDGE_MULTIPLY_RATES(rate)
    SEDGE_EACH_DRIVE(SEDGE_ADD_TERM)
#else
    SEDGE_EACH_TERM(SEDGE_ADD_TERM)
    SEDGE_MULTIPLY_RATES(rate)
#endif
}
