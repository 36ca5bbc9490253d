// Check the deck's tree by the schema and complete it in place; take values out of it.
#pragma once

#include "deck_schema.h"
#include "deck_tree.h"

#include "dg/equation.h"

#include <stdint.h>

// What the checks need to know of the deck.
typedef struct deck_reader {
    const char *path;
    const sedge_equation *equation; // NULL until `equation` is read
    bool si;
} deck_reader;

// "mesh.box" of "mesh" and "box"; "box" of "" and "box". Cut to fit.
#define DECK_PATH_MAX 320
void deck_path(char out[DECK_PATH_MAX], const char *where, const char *key);

// `node`, which is called `where`, must be a mapping whose keys are the rows of `section` and
// `parameters`. Afterwards all its values have the right type and range, absent ones their
// defaults, in the tables' order. Sections and lists are checked by the caller; those with a
// default exist afterwards.
SEDGE_MUST_USE
sedge_status deck_check(const deck_reader *reader, deck_node *node, const char *where,
                        const deck_section *section, const sedge_parameter *parameters, int count);

// A scalar, sequence or mapping is wanted: fail if `node` is none.
SEDGE_MUST_USE
sedge_status deck_want(const deck_reader *reader, const deck_node *node, const char *where,
                       deck_kind kind);

// The place of the text of `node` in `names`, or a failure that names the nearest one.
SEDGE_MUST_USE
sedge_status deck_choose(int *index, const deck_reader *reader, const deck_node *node,
                         const char *where, const char *const *names, int count);

// A name of a group in a mesh: 1 to 63 bytes, no control characters. A name of our own (`file`):
// letters, digits, '_', '-' only, since files and datasets are named after it.
SEDGE_MUST_USE
sedge_status deck_check_name(const deck_reader *reader, const deck_node *node, const char *name,
                             bool file);

// The value of one key, which is called `where`, by its row: of the right type and in range, in the
// form that the resolved deck has. Of sections and lists only that they are such.
SEDGE_MUST_USE
sedge_status deck_check_value(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key);

// Append "; did you mean 'x'?" or, if no name is near or `word` is NULL, "; known: x, y, z" to
// `text`.
void deck_suggest(char *text, size_t size, const char *word, const char *const *names, int count);

// Values of checked nodes, in code units.
int64_t deck_integer(const deck_node *node);
double deck_real(const deck_reader *reader, const deck_node *node, sedge_dimension dimension);
void deck_vector(double out[3], const deck_reader *reader, const deck_node *node,
                 sedge_dimension dimension);
bool deck_boolean(const deck_node *node);

// All parameters of a checked mapping into a flat array (dg/equation.h).
void deck_values(double *values, const deck_reader *reader, const deck_node *map,
                 const sedge_parameter *parameters, int count);
