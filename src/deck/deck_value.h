// Single values of the deck: check a node against one row of the schema, and read checked nodes in
// code units. deck_check.h checks mappings and signals.
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

// Join a path and a key: "mesh" and "box" give "mesh.box", "" and "box" give "box". Truncated to
// fit.
#define DECK_PATH_MAX 320
void deck_path(char out[DECK_PATH_MAX], const char *where, const char *key);

// Is it YAML's null: nothing, ~ or null without quotes?
bool deck_is_nothing(const deck_node *node);

// Fail if `node` is not of the expected kind: scalar, sequence or mapping.
SEDGE_MUST_USE
sedge_status deck_expect(const deck_reader *reader, const deck_node *node, const char *where,
                         deck_kind kind);

// Give the index in `names` of the text of `node`. A failure names the nearest known name.
SEDGE_MUST_USE
sedge_status deck_choose(int *index, const deck_reader *reader, const deck_node *node,
                         const char *where, const char *const *names, int count);

// Check a name. The name of a mesh group has 1 to 63 bytes and no control characters. With `file`,
// only letters, digits, '_' and '-' are allowed, because files and datasets are named after it.
SEDGE_MUST_USE
sedge_status deck_check_name(const deck_reader *reader, const deck_node *node, const char *name,
                             bool file);

// Check the value of one key, which messages call `where`, against its row: type and range. The
// value is rewritten as it appears in the resolved deck. Of sections and lists only the kind of
// node is checked; a signal is refused.
SEDGE_MUST_USE
sedge_status deck_value_check(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key);

// Append "; did you mean 'x'?" or, if no name is near or `word` is NULL, "; known: x, y, z" to
// `text`.
void deck_suggest(char *text, size_t size, const char *word, const char *const *names, int count);

// The value in code units is the deck's value times this.
double deck_factor(const deck_reader *reader, sedge_dimension dimension);

// Values of checked nodes, in code units.
int64_t deck_integer(const deck_node *node);
double deck_real(const deck_reader *reader, const deck_node *node, sedge_dimension dimension);
void deck_vector(double out[3], const deck_reader *reader, const deck_node *node,
                 sedge_dimension dimension);
bool deck_boolean(const deck_node *node);

// A material's number or tensor (sedge_parameter.tensor): xx, yy, zz, yz, zx, xy. False: it is a
// tensor that is not symmetric.
bool deck_tensor(double t[6], const deck_reader *reader, const deck_node *node,
                 sedge_dimension dimension);

// Copy all parameters of a checked mapping into a flat array (dg/equation.h).
void deck_values(double *values, const deck_reader *reader, const deck_node *map,
                 const sedge_parameter *parameters, int count);
