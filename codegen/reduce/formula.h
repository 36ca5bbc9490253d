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

// A formula owns nothing, but has pointers into itself, so it must not be copied.
void sedge_formula_make(sedge_formula *out, sedge_reduction reduction, sedge_type element);
void sedge_formula_dot(sedge_formula *out, sedge_type element);
void sedge_formula_own(sedge_formula *out, const sedge_reduction_text *text, sedge_type element);

// Whether the compiler may fuse the formula's products with sums in several ways, so that
// differently tuned kernels may round differently. This is true of products of complex numbers and
// of the user's formulas.
bool sedge_formula_may_fuse(const sedge_formula *formula);

// Write a key that identifies the formula among those of one element type. Returns the key's length
// in bytes.
enum { SEDGE_FORMULA_KEY = sizeof(int) + SEDGE_HASH_BYTES };
int sedge_formula_key(unsigned char key[SEDGE_FORMULA_KEY], const sedge_formula *formula);

// The sources of a program, and the names that messages give them.
typedef struct sedge_formula_sources {
    char program[128], places[5][128];
    sedge_source source[16];
    sedge_program_options options;
} sedge_formula_sources;

// `types` is text before the user's preamble. `map` is the beginning of the mapping function, up to
// "return ("; the formula's own `map` follows it. `kernels` names the file of kernels, which comes
// last. `kind` is the first word of the program's name. Texts are borrowed.
void sedge_formula_sources_make(sedge_formula_sources *out, const sedge_formula *formula,
                                const char *kind, const char *types, const char *map,
                                const char *kernels);
