// The terms of a problem as kernels know them: each adds to du/dt in some volume groups after a
// stage, with or without memory of its own (dg/term_kind.h). If the equation has a source, that is
// the first term; those of the deck follow in the problem's order.
#pragma once

#include "dg/problem.h"
#include "program/program.h"

#define SEDGE_TERM_THREADS   128 // as in codegen/kernels/dg/dg_term.h
#define SEDGE_TERM_CONSTANTS 512 // bytes of a term's constants
#define SEDGE_TERM_SOURCES   3   // of one term: function, constants, kernel

typedef struct operator_term {
    const char *name;
    const char *function;
    sedge_source header;    // has the function
    int memory, parameters; // numbers of components and parameters
    const sedge_term *term; // NULL: the equation's source
} operator_term;

int operator_terms_count(const sedge_problem *problem);
operator_term operator_terms_get(const sedge_problem *problem, int i);

// Whether a volume group has the term.
bool operator_term_is_in(const operator_term *term, const sedge_problem *problem, int volume);

// Bytes that a stage reads and writes for the terms of this rank's elements.
double operator_terms_bytes(const sedge_problem *problem, const sedge_mesh *mesh, int nodes);

// Bytes of device memory that they take, of this rank's elements and nodes alone. What the layout
// adds is not in it, for the tuner chooses the layout later: on hosts each range of elements with a
// term ends with a SIMD batch that may have one element only, of up to twice a vector register's
// words; on GPUs each element's nodes are filled up by at most three, and then by at most 5 %
// (forms/layouts.c).
int64_t operator_terms_memory(const sedge_problem *problem, const sedge_mesh *mesh, int nodes);

// The name of term i's kernel.
#define SEDGE_TERM_KERNEL_NAME "sedge_term_%d"

// Append to `sources`, which has room for SEDGE_TERM_SOURCES times the number of terms, what the
// terms' kernels are made of. `constants` [number of terms] gets texts that must live as long.
SEDGE_MUST_USE
sedge_status operator_terms_sources(sedge_source *sources, int *count,
                                    char (*constants)[SEDGE_TERM_CONSTANTS],
                                    const sedge_problem *problem);
