// What reports say, as values of jansson.
#pragma once

#include "base/error.h"

#include <jansson.h>

#include <stddef.h>

// JSON has no infinity and no not-a-number: they become null. The caller's, as json_real's.
json_t *sedge_json_number(double value);

// Null for NULL, and for texts of drivers and decks that are no UTF-8, which would spoil the rest.
json_t *sedge_json_text(const char *value);

// Write the members of all `parts` [count] as one object to `path`, whole or not at all, and
// release the parts; NULL is one for which there was no memory: SEDGE_ERR_MEMORY. Not collective.
SEDGE_MUST_USE
sedge_status sedge_json_write(json_t *const *parts, size_t count, const char *path);
