// JSON values for reports, made with jansson.
#pragma once

#include "base/error.h"

#include <jansson.h>

#include <stddef.h>

// A number; infinity and not-a-number, which JSON does not have, become null. The caller owns the
// value, as with json_real.
json_t *sedge_json_number(double value);

// A text. NULL becomes null, and so does a text that is not UTF-8 (from a driver or a deck), which
// would make the whole file invalid.
json_t *sedge_json_text(const char *value);

// Write the members of all `parts` [count] as one object to `path`, whole or not at all, and
// release the parts. A part that is NULL means that memory ran out: SEDGE_ERR_MEMORY. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_json_write(json_t *const *parts, size_t count, const char *path);
