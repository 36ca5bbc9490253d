// The deck's keys as tables, with one row for each key. The reader checks decks against the tables,
// and the documentation is printed from them.
//
// Keys that depend on the equation are not here but in its own tables (dg/equation.h); a
// sedge_parameter becomes a row by deck_key_of.
#pragma once

#include "dg/equation.h"
#include "dg/signal.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum deck_type {
    DECK_TEXT,     // any text
    DECK_NAME,     // of a group in the mesh: less than 64 bytes, printable
    DECK_CHOICE,   // one of `choices`
    DECK_BOOLEAN,  // true, false, yes, no
    DECK_INTEGER,  // a whole number
    DECK_REAL,     // a finite number
    DECK_DURATION, // of the wall clock: seconds, or a number with s, min, h or d behind it
    DECK_VECTOR,   // three of these
    DECK_TENSOR,   // one, three, or three rows of three
    DECK_INTEGERS, // three whole numbers
    DECK_AXES,     // a list of x, y, z
    DECK_NAMES,    // two different names
    DECK_LISTED,   // a list of different names, at least one
    DECK_NUMBERS,  // a list of finite numbers, at least one
    DECK_WEIGHTS,  // a mapping of names of surfaces to numbers
    DECK_SIGNAL,   // a mapping, see deck_signal_section
    DECK_SECTION,  // a mapping with rows of its own
    DECK_LIST      // a list of mappings
} deck_type;

typedef struct deck_key {
    const char *name;
    deck_type type;
    bool required;
    const char *fallback; // the default, as YAML; NULL: none, or `computed`
    const char *computed; // how the program finds the default, in words
    double minimum;       // allowed range, inclusive, code units; equal bounds: no limit
    double maximum;
    bool positive;
    bool nonzero;
    sedge_dimension dimension;
    const char *choices; // "fp32 fp64"
    // In place of `choices`: writes them into text[size], for choices that a table of the program
    // has.
    void (*names)(char *text, size_t size);
    const char *either;  // exactly one of this key and that one
    const char *with;    // allowed only together with that key
    const char *without; // not allowed together with that key
    const char *text;    // what it means, for input/keys.md
} deck_key;

// A mapping of the deck with fixed keys. NAME in a path stands for any name.
typedef struct deck_section {
    const char *path;
    const char *text; // a sentence above the table
    const deck_key *keys;
    int count;
} deck_section;

extern const deck_section deck_sections[];
extern const int deck_section_count;

// The section with this path, which must exist.
const deck_section *deck_section_find(const char *path);

// The keys of a kind of signal, as a section made from the kind's table. The amplitude has the unit
// of the deck key whose value is the signal. The section's path is the kind's name. The section
// points into `rows`.
typedef struct deck_signal_rows {
    deck_key keys[SEDGE_SIGNAL_VALUES];
    char defaults[SEDGE_SIGNAL_VALUES][64];
} deck_signal_rows;
deck_section deck_signal_section(deck_signal_rows *rows, const sedge_signal_kind *kind);

// The choices of a DECK_CHOICE into text[size], with spaces between them.
void deck_choices(const deck_key *key, char *text, size_t size);

// Keys that a later version will have: refused with their own message.
typedef struct deck_reserved {
    const char *path;
    const char *text;
} deck_reserved;
extern const deck_reserved deck_reserved_keys[];
extern const int deck_reserved_count;

// The row of an equation's parameter, without its default.
deck_key deck_key_of(const sedge_parameter *parameter);

// The SI unit of a dimension: "m"; "" for none. SEDGE_FIELD needs the equation.
const char *deck_unit(const sedge_equation *equation, sedge_dimension dimension);

// Check the tables of this program's equations, integrators and monitors, from which keys and their
// documentation are made. SEDGE_ERR_USAGE names what is missing.
SEDGE_MUST_USE
sedge_status deck_check_tables(void);
