#include "cursor.h"

#include "base/plain.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sedge_status sedge_cursor_fail(const sedge_cursor *cursor, const char *what)
{
    int64_t line = 1;

    if (cursor->binary) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "%s, byte %lld, in %s: %s", cursor->path,
                          (long long)(cursor->at - cursor->start), cursor->section, what);
    }
    for (const char *c = cursor->start; c < cursor->at; c++) line += *c == '\n';
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s:%lld: in %s: %s", cursor->path, (long long)line,
                      cursor->section, what);
}

sedge_status sedge_cursor_truncated(const sedge_cursor *cursor)
{
    return SEDGE_FAIL(SEDGE_ERR_DATA, "%s is truncated: it ends inside %s (%lld bytes)",
                      cursor->path, cursor->section, (long long)(cursor->end - cursor->start));
}

static void skip_space(sedge_cursor *cursor)
{
    while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at)) cursor->at++;
}

// After a number's reading stopped at `stop`: a whole word must have been taken.
static sedge_status take_word(sedge_cursor *cursor, const char *stop, const char *expected)
{
    if (stop == cursor->at || (stop < cursor->end && !isspace((unsigned char)*stop))) {
        char what[96];
        char found[24];
        int length = 0;

        for (const char *c = cursor->at; c < cursor->end && length < 20; c++, length++) {
            if (!isgraph((unsigned char)*c)) break;
            found[length] = *c;
        }
        found[length] = '\0';
        (void)snprintf(what, sizeof what, "expected %s, found '%s'", expected, found);
        return sedge_cursor_fail(cursor, what);
    }
    cursor->at = stop;
    return SEDGE_OK;
}

sedge_status sedge_cursor_text_int(sedge_cursor *cursor, int64_t *out)
{
    char *stop;

    skip_space(cursor);
    if (cursor->at == cursor->end) return sedge_cursor_truncated(cursor);
    // Most are of a few digits; strtoll takes signs, overflow and what is no number.
    int64_t value = 0;
    const char *c = cursor->at;
    while (*c >= '0' && *c <= '9' && c - cursor->at < 18) value = 10 * value + (*c++ - '0');
    if (c > cursor->at && (*c == ' ' || *c == '\n')) {
        cursor->at = c;
        *out = value;
        return SEDGE_OK;
    }
    *out = strtoll(cursor->at, &stop, 10);
    return take_word(cursor, stop, "an integer");
}

sedge_status sedge_cursor_int(sedge_cursor *cursor, int64_t *out)
{
    int32_t value;

    if (!cursor->binary) return sedge_cursor_text_int(cursor, out);
    if (cursor->end - cursor->at < (int64_t)sizeof value) return sedge_cursor_truncated(cursor);
    memcpy(&value, cursor->at, sizeof value);
    cursor->at += sizeof value;
    *out = value;
    return SEDGE_OK;
}

sedge_status sedge_cursor_size(sedge_cursor *cursor, int64_t *out)
{
    if (!cursor->binary || cursor->short_sizes) return sedge_cursor_int(cursor, out);
    if (cursor->end - cursor->at < (int64_t)sizeof *out) return sedge_cursor_truncated(cursor);
    memcpy(out, cursor->at, sizeof *out);
    cursor->at += sizeof *out;
    return SEDGE_OK;
}

sedge_status sedge_cursor_double(sedge_cursor *cursor, double *out)
{
    if (cursor->binary) {
        if (cursor->end - cursor->at < (int64_t)sizeof *out) return sedge_cursor_truncated(cursor);
        memcpy(out, cursor->at, sizeof *out);
        cursor->at += sizeof *out;
    } else {
        char *stop;

        skip_space(cursor);
        if (cursor->at == cursor->end) return sedge_cursor_truncated(cursor);
        *out = sedge_plain_read(cursor->at, &stop);
        SEDGE_TRY(take_word(cursor, stop, "a number"));
    }
    if (!isfinite(*out)) return sedge_cursor_fail(cursor, "a coordinate is not a finite number");
    return SEDGE_OK;
}

sedge_status sedge_cursor_room(const sedge_cursor *cursor, int64_t count, int bytes)
{
    if (count < 0) return sedge_cursor_fail(cursor, "a count is negative");
    if (count > (cursor->end - cursor->at) / bytes) return sedge_cursor_truncated(cursor);
    return SEDGE_OK;
}

void sedge_cursor_skip_line(sedge_cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at != '\n') cursor->at++;
    if (cursor->at < cursor->end) cursor->at++;
}

sedge_status sedge_cursor_heading(sedge_cursor *cursor, char *word, int length)
{
    int used = 0;

    skip_space(cursor);
    if (cursor->at == cursor->end) return sedge_cursor_truncated(cursor);
    while (cursor->at < cursor->end && isgraph((unsigned char)*cursor->at)) {
        if (used < length - 1) word[used++] = *cursor->at;
        cursor->at++;
    }
    word[used] = '\0';
    sedge_cursor_skip_line(cursor);
    return SEDGE_OK;
}

bool sedge_cursor_has_more(sedge_cursor *cursor)
{
    skip_space(cursor);
    return cursor->at < cursor->end;
}

bool sedge_cursor_skip_section(sedge_cursor *cursor, const char *name)
{
    static const char head[] = "$End";
    const size_t length = strlen(name) - 1; // without the $

    for (const char *c = cursor->at; c < cursor->end; c++) {
        c = memchr(c, '$', (size_t)(cursor->end - c));
        if (c == NULL) return false;
        const size_t left = (size_t)(cursor->end - c);
        if (left < strlen(head) + length || memcmp(c, head, strlen(head)) != 0) continue;
        const char *const stop = c + strlen(head) + length;
        if (memcmp(c + strlen(head), name + 1, length) != 0 || isgraph((unsigned char)*stop))
            continue;
        cursor->at = stop;
        sedge_cursor_skip_line(cursor);
        return true;
    }
    return false;
}
