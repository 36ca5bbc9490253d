// Growable text: the only way in which sedge builds strings of unknown length. Failures are
// SEDGE_ERR_MEMORY.
#pragma once

#include "error.h"

#include <stddef.h>

typedef struct sedge_text sedge_text;

// An empty text. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_text_create(sedge_text **out);
void sedge_text_free(sedge_text *text);

// Append formatted text, numbers with a point in any locale. On failure the text is as it was.
__attribute__((format(printf, 2, 3))) SEDGE_MUST_USE
sedge_status sedge_text_add(sedge_text *text, const char *format, ...);

// Append `length` bytes as they are. On failure the text is as it was.
SEDGE_MUST_USE
sedge_status sedge_text_add_bytes(sedge_text *text, const char *bytes, size_t length);

// Borrowed, NUL-terminated, valid until the next change; and its bytes without the NUL.
const char *sedge_text_get(const sedge_text *text);
size_t sedge_text_length(const sedge_text *text);
