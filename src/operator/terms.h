// The terms of a problem (dg/term_kind.h) in the operator's kernels: each adds to du/dt in some
// volume groups, with or without memory of its own. If the equation has a source, that is the first
// term; those of the deck follow in the problem's order. Exponential ones are among them, but not
// in the stages' kernels.
//
// Elements that have terms run through a stage kernel of their own, which is the tuned one with the
// terms in it: a term would else have to read the fields a second time. Terms are not tuned. With a
// predictor the prediction does what they do over a step (predictor.h), and that kernel has only
// those that multiply du/dt. Curved elements have one kernel, which skips the terms that an element
// does not have.
#pragma once

#include "dg/problem.h"
#include "layout/slots.h"
#include "program/program.h"

typedef struct operator_term {
    const char *name;
    const char *function;
    const char *drive;      // see sedge_term_kind; NULL: none
    const char *multiply;   // see sedge_term_kind; NULL: none, and `function` is not NULL
    sedge_source header;    // has these functions
    int poles;              // each has components of memory and parameters of its own
    int memory, parameters; // numbers of components and parameters, over all poles
    int unknowns;           // components of memory that change; the others are behind them
    const sedge_term *term; // NULL: the equation's source
} operator_term;

// Is the term in the kernels of stages and predictions?
bool operator_term_is_staged(const operator_term *term);

// Is any of them?
bool operator_terms_staged(const sedge_problem *problem);

// How many states a stage reads and writes, residuals and what they are found from among them,
// on average.
double operator_states(const sedge_problem *problem);

// Bytes that a stage reads and writes for the memory of the terms in this rank's straight or curved
// elements.
double operator_terms_bytes(const sedge_problem *problem, const sedge_mesh *mesh, int nodes,
                            bool curved);

// How many numbers a device has of a term at a node: its memory, that of the next stage where this
// does not write in place, and a residual (operator_term_memory); and what an exponential term
// keeps of the fields over a step with a prediction.
int operator_term_words(const sedge_problem *problem, const sedge_term *term);

// Bytes of device memory that they take, of this rank's elements and nodes alone. What the layout
// adds is not in it, for the tuner chooses the layout later: on hosts each range of elements with a
// term ends with a SIMD batch that may have one element only, of up to twice a vector register's
// words; on GPUs each element's nodes are filled up by at most three, and then by at most 5 %
// (forms/layouts.c).
int64_t operator_terms_memory(const sedge_problem *problem, const sedge_mesh *mesh, int nodes);

// Does the stage's kernel of straight elements add terms: not where they are predicted, unless they
// multiply du/dt.
bool operator_terms_in_stage(const sedge_problem *problem);

// Whether the terms' memory has a residual (operator_term_memory).
bool operator_terms_keep(const sedge_problem *problem);

// Does any term tell the energy of its memory (sedge_term_kind.energy)?
bool operator_terms_store_energy(const sedge_problem *problem);

// ---- texts -------------------------------------------------------------------------------------

#define SEDGE_TERM_NUMBERS 1024 // bytes of a term's constants

// What a program with terms has more than one without.
typedef struct operator_terms_text {
    sedge_text *constants;
    sedge_source *sources; // [count] behind dg_layout.h, before the kernels
    int count;
    char (*numbers)[SEDGE_TERM_NUMBERS]; // [terms] constants of each term
} operator_terms_text;

// Empty where the problem has no terms. Clear it in any case.
SEDGE_MUST_USE
sedge_status operator_terms_text_create(operator_terms_text *text, const sedge_problem *problem);
void operator_terms_text_clear(operator_terms_text *text);

// ---- on the device -----------------------------------------------------------------------------

typedef struct operator_device_term {
    operator_term term;
    int64_t batches;         // SIMD batches with elements that have it
    int32_t *places;         // [batches of the layout] place among these batches, or -1
    sedge_buffer *on_device; // the same
    sedge_buffer *parameters;
} operator_device_term;

// Consecutive SIMD batches: each has terms, or none has.
typedef struct operator_terms_run {
    int64_t first, count;
    bool has_terms;
} operator_terms_run;

typedef struct operator_terms {
    int count;
    operator_device_term *term; // [count]
    int runs;
    operator_terms_run *run;   // [runs] ascending; together all batches
    int32_t straight_elements; // in runs with terms
} operator_terms;

// The memory of one term, where stages put it by turns (sedge_stage.turned), and its residual:
// [batches][components][nodes_padded][lanes]. NULL: none; the latter two only where a stage needs
// them.
typedef struct operator_term_memory {
    sedge_buffer *now, *other, *residual;
} operator_term_memory;

// Make them for a layout. SEDGE_ERR_INTERNAL where a range of the mesh has a term of the deck in
// some of its elements only (sedge_mesh_options, class_volume). Clear them in any case. Not
// collective.
SEDGE_MUST_USE
sedge_status operator_terms_create(operator_terms *terms, sedge_device *device,
                                   const sedge_problem *problem, const sedge_slots *slots);
void operator_terms_clear(operator_terms *terms);

// Do the source or terms act in a SIMD batch, as parts of the stage or of a prediction? A range has
// only batches in which they do, or none.
bool operator_terms_act(const operator_terms *terms, int64_t batch);

#define SEDGE_TERM_ARGUMENTS 5 // of a kernel, for one term: places first
#define SEDGE_TERMS_ARGUMENTS \
    (SEDGE_TERM_ARGUMENTS * (SEDGE_MAX_KINDS + 1)) // of a kernel, for all terms

typedef struct operator_terms_arguments {
    int count;
    uint64_t value[SEDGE_TERMS_ARGUMENTS];
} operator_terms_arguments;

// List them in the order of dg_layout.h; none where there are no terms. `turned` as in sedge_stage.
void operator_terms_list(operator_terms_arguments *arguments, const operator_terms *terms,
                         const operator_term_memory *memory, bool turned);
