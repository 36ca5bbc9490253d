// A cursor that reads numbers and words of a Gmsh file in memory, ASCII or binary, and knows its
// position for messages.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_cursor {
    const char *path;
    const char *start, *at, *end; // *end is NUL
    bool binary;
    bool short_sizes;    // in binary files a size has 4 bytes instead of 8
    const char *section; // being read, for messages
} sedge_cursor;

// SEDGE_ERR_DATA "path:line: what" (ASCII) or "path, byte n: what" (binary).
SEDGE_MUST_USE
sedge_status sedge_cursor_fail(const sedge_cursor *cursor, const char *what);

// SEDGE_ERR_DATA: the file ends inside the present section.
SEDGE_MUST_USE
sedge_status sedge_cursor_truncated(const sedge_cursor *cursor);

// The next int (4 bytes), size (8 bytes, or 4 with `short_sizes`) or double (8 bytes) of the data.
// Where `cursor->binary` is false they are text. Doubles must be finite.
SEDGE_MUST_USE
sedge_status sedge_cursor_int(sedge_cursor *cursor, int64_t *out);
SEDGE_MUST_USE
sedge_status sedge_cursor_size(sedge_cursor *cursor, int64_t *out);
SEDGE_MUST_USE
sedge_status sedge_cursor_double(sedge_cursor *cursor, double *out);

// An integer written as text, in binary files too (headers of version 2.2).
SEDGE_MUST_USE
sedge_status sedge_cursor_text_int(sedge_cursor *cursor, int64_t *out);

// A count of things that take at least `bytes` bytes each in the file: 0 <= count, and they fit.
SEDGE_MUST_USE
sedge_status sedge_cursor_room(const sedge_cursor *cursor, int64_t count, int bytes);

// The next word, cut to `length` - 1 bytes; the rest of its line is skipped.
SEDGE_MUST_USE
sedge_status sedge_cursor_heading(sedge_cursor *cursor, char *word, int length);

// The rest of the line is skipped.
void sedge_cursor_skip_line(sedge_cursor *cursor);

// Skip spaces and empty lines; false at the end of the file.
SEDGE_MUST_USE
bool sedge_cursor_has_more(sedge_cursor *cursor);

// Skip the rest of the section $NAME up to and including the line $EndNAME; false if there is no
// such line.
SEDGE_MUST_USE
bool sedge_cursor_skip_section(sedge_cursor *cursor, const char *name);
