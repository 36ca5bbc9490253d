#include "text/substitute.h"

#include "base/memory.h"
#include "text/bindings.h"
#include "text/lines.h"

#include <string.h>

typedef struct substitution {
    const sedge_pattern *pattern;
    sedge_lines lines;
    sedge_text *value; // of the hole at hand
    bool *used;        // [pattern->count]
    int line;
} substitution;

static sedge_status add_hole(substitution *s, const char *name, size_t length)
{
    char hint[SEDGE_HINT_LENGTH];
    const int i = sedge_pattern_find(s->pattern, name, length);

    if (i < 0) {
        sedge_pattern_hint(hint, s->pattern, name, length);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: '%.*s' has no value%s", s->pattern->name,
                          s->line, (int)length, name, hint);
    }
    s->used[i] = true;
    sedge_text_free(s->value);
    s->value = NULL;
    SEDGE_TRY(sedge_text_create(&s->value));
    SEDGE_TRY(sedge_binding_write(s->value, &s->pattern->bindings[i]));
    return sedge_lines_add(&s->lines, s->line, sedge_text_get(s->value),
                           sedge_text_length(s->value));
}

// What a `$` begins; `*length` is how many bytes it has, both dollars included.
static sedge_status add_dollar(substitution *s, const char *at, size_t *length)
{
    const size_t inside = strcspn(at + 1, "$\n");
    size_t name = 0;

    *length = inside + 2;
    if (at[1] == '$') return sedge_lines_add(&s->lines, s->line, "$", 1);
    if (at[1 + inside] != '$') {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: '%.*s' has no second '$' in its line; a dollar is written '$$'",
                          s->pattern->name, s->line, (int)(inside < 40 ? inside : 40) + 1, at);
    }
    while (sedge_is_name_part(at[1 + name])) name++;
    if (name != inside || !sedge_is_name_start(at[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: '%.*s' is not a name; a dollar is written '$$'",
                          s->pattern->name, s->line, (int)(inside < 40 ? inside : 40), at + 1);
    }
    return add_hole(s, at + 1, inside);
}

static sedge_status add_text(substitution *s, const char *at)
{
    while (*at != '\0') {
        size_t length = strcspn(at, "$\n");
        if (at[length] == '\n') length++;
        SEDGE_TRY(sedge_lines_add(&s->lines, s->line, at, length));
        if (length > 0 && at[length - 1] == '\n') s->line++;
        at += length;
        if (*at != '$') continue;
        SEDGE_TRY(add_dollar(s, at, &length));
        at += length;
    }
    return SEDGE_OK;
}

sedge_status sedge_substitute(sedge_text *out, const sedge_pattern *pattern)
{
    substitution s = {.pattern = pattern, .line = 1};
    sedge_status status;
    sedge_text *made = NULL;
    const char *text = NULL;
    char *found = NULL;

    SEDGE_TRY_GOTO(status, sedge_pattern_check(pattern, false));
    SEDGE_TRY_GOTO(status, sedge_pattern_text(&text, &found, pattern));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s.used, pattern->count, sizeof *s.used));
    SEDGE_TRY_GOTO(status, sedge_text_create(&made));
    SEDGE_TRY_GOTO(status, sedge_lines_begin(&s.lines, made, pattern));
    SEDGE_TRY_GOTO(status, add_text(&s, text));
    SEDGE_TRY_GOTO(status, sedge_pattern_check_used(pattern, s.used));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add_bytes(out, sedge_text_get(made), sedge_text_length(made)));
done:
    sedge_text_free(s.value);
    sedge_text_free(made);
    sedge_release(s.used);
    sedge_release(found);
    return status;
}
