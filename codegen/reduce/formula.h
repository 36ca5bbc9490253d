// What a reduction or a scan computes, as C text: a formula maps each element to a state, combines
// two states, and makes the result of the last one. The sum of squares, say, has the map x * x and
// the combination a + b.
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "program/program.h"
#include "reduce/reduce.h"

#include <stdbool.h>

enum { SEDGE_FORMULA_TEXT = 256 };

// Numbers of formulas beside those of sedge_reduction.
enum { SEDGE_FORMULA_DOT = SEDGE_REDUCTIONS, SEDGE_FORMULA_OWN };

// C expressions: `map` of an element x, of type `element`, and its index i; `combine` of two states
// a and b; `neutral`; `finish` of the last state s, which gives the result. In kernels they become
// functions formula_combine, formula_neutral, formula_finish; types are formula_value (of x),
// formula_state and formula_result.
typedef struct sedge_formula {
    const char *name;
    int number;           // the sedge_reduction, or one of the above
    const char *preamble; // the user's, or ""
    sedge_type element, result;
    int state_bytes;
    const char *map, *combine, *neutral, *finish;
    char state[3 * SEDGE_FORMULA_TEXT]; // defines formula_state, and functions for the below
    char text[4][SEDGE_FORMULA_TEXT];   // where the four point to, unless to the user's
} sedge_formula;

const char *sedge_reduction_name(sedge_reduction reduction);

// The formulas do not own anything but point into themselves: they are not copied.
void sedge_formula_make(sedge_formula *out, sedge_reduction reduction, sedge_type element);
void sedge_formula_dot(sedge_formula *out, sedge_type element);
void sedge_formula_own(sedge_formula *out, const sedge_reduction_text *text, sedge_type element);

// Whether the compiler has a choice of which products it fuses with sums: it may choose otherwise
// where kernels are tuned otherwise. Products of complex numbers, and the user's formulas.
bool sedge_formula_may_fuse(const sedge_formula *formula);

// What identifies the formula among those of one type of element; returns its bytes.
enum { SEDGE_FORMULA_KEY = sizeof(int) + SEDGE_HASH_BYTES };
int sedge_formula_key(unsigned char key[SEDGE_FORMULA_KEY], const sedge_formula *formula);

// The sources of a program, and where they are said to come from.
typedef struct sedge_formula_sources {
    char program[128], places[5][128];
    sedge_source source[16];
    sedge_program_options options;
} sedge_formula_sources;

// `types` stand before the user's preamble; `map` is the beginning of the function that maps, up to
// "return (", in which it continues; `kernels` names the file behind all. `kind` is the first word
// of the program's name. Texts are borrowed.
void sedge_formula_sources_make(sedge_formula_sources *out, const sedge_formula *formula,
                                const char *kind, const char *types, const char *map,
                                const char *kernels);
