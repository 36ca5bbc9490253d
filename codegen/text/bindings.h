// Inside codegen/text: bindings, which are the names and values that fill the holes of a pattern.
// The functions check bindings, find a binding by its name, and write its value. Substitution,
// templates and syntax trees use them.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "text/pattern.h"

#include <stdbool.h>
#include <stddef.h>

// Check that the names are valid and distinct and that the values are present and finite. `lists`:
// whether lists are allowed.
SEDGE_MUST_USE
sedge_status sedge_pattern_check(const sedge_pattern *pattern, bool lists);

// The index of the binding whose name is the `length` bytes at `name`, or -1.
int sedge_pattern_find(const sedge_pattern *pattern, const char *name, size_t length);

// "; did you mean 'x'?" for a name of `length` bytes that is not bound, or "".
#define SEDGE_HINT_LENGTH 96
void sedge_pattern_hint(char text[SEDGE_HINT_LENGTH], const sedge_pattern *pattern,
                        const char *name, size_t length);

// SEDGE_ERR_USAGE for the first binding with `used[i]` false.
SEDGE_MUST_USE
sedge_status sedge_pattern_check_used(const sedge_pattern *pattern, const bool *used);

// Set `*text` to the pattern's own text or, if it has none, to the embedded source of the pattern's
// name. In the second case `*found` owns the text, and the caller releases it with sedge_release.
SEDGE_MUST_USE
sedge_status sedge_pattern_text(const char **text, char **found, const sedge_pattern *pattern);

// Append a binding's value as program source. The value must not be a list.
SEDGE_MUST_USE
sedge_status sedge_binding_write(sedge_text *out, const sedge_binding *binding);

// Whether `c` may stand in a name, at its start or later.
bool sedge_is_name_start(char c);
bool sedge_is_name_part(char c);
