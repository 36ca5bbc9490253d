#include "text/lines.h"

#include "text/bindings.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define ORIGIN_TEXT_MAX   40 // bytes of a value in the comment line
#define ORIGIN_VALUES_MAX 8  // of a list

// ---- the comment line --------------------------------------------------------------------------

// On one line, without an end in a backslash; a long one is cut.
static sedge_status add_quoted(sedge_text *out, const char *text)
{
    SEDGE_TRY(sedge_text_add(out, "'"));
    for (int i = 0; text[i] != '\0'; i++) {
        const char c = text[i];
        if (i == ORIGIN_TEXT_MAX) return sedge_text_add(out, "...'");
        if (c == '\n') SEDGE_TRY(sedge_text_add(out, "\\n"));
        if (c != '\n') SEDGE_TRY(sedge_text_add(out, "%c", isprint((unsigned char)c) ? c : '?'));
    }
    return sedge_text_add(out, "'");
}

static sedge_status add_value(sedge_text *out, const sedge_binding *binding, int i)
{
    const bool is_list = binding->is_list;

    switch (binding->kind) {
    case SEDGE_BINDING_TEXT:
        return add_quoted(out, is_list ? binding->texts[i] : binding->text);
    case SEDGE_BINDING_INTEGER:
        return sedge_text_add(out, "%" PRId64, is_list ? binding->integers[i] : binding->integer);
    case SEDGE_BINDING_FLOAT:
    case SEDGE_BINDING_DOUBLE:
        break;
    }
    return sedge_text_add(out, "%.6g", is_list ? binding->reals[i] : binding->real);
}

static sedge_status add_binding(sedge_text *out, const sedge_binding *binding)
{
    SEDGE_TRY(sedge_text_add(out, "%s = ", binding->name));
    if (!binding->is_list) return add_value(out, binding, 0);
    SEDGE_TRY(sedge_text_add(out, "["));
    for (int i = 0; i < binding->count && i < ORIGIN_VALUES_MAX; i++) {
        if (i > 0) SEDGE_TRY(sedge_text_add(out, ", "));
        SEDGE_TRY(add_value(out, binding, i));
    }
    return sedge_text_add(out, binding->count > ORIGIN_VALUES_MAX ? ", ...]" : "]");
}

sedge_status sedge_lines_begin(sedge_lines *lines, sedge_text *out, const sedge_pattern *pattern)
{
    *lines = (sedge_lines){.out = out,
                           .marked = !pattern->without_lines,
                           .line = 1,
                           .fresh = true,
                           .blank = true,
                           .state = SEDGE_LINES_CODE};
    SEDGE_TRY(sedge_text_add(out, "%s%s", SEDGE_ORIGIN_START, pattern->name));
    for (int i = 0; i < pattern->count; i++) {
        SEDGE_TRY(sedge_text_add(out, i == 0 ? " with " : ", "));
        SEDGE_TRY(add_binding(out, &pattern->bindings[i]));
    }
    SEDGE_TRY(sedge_text_add(out, "\n"));
    if (lines->marked) SEDGE_TRY(sedge_text_add(out, "#line 1 \"%s\"\n", pattern->name));
    return SEDGE_OK;
}

// ---- lines -------------------------------------------------------------------------------------

// Whether a #line may stand before the present line. Parentheses may be those of a macro, whose
// arguments cannot hold one.
static bool may_mark(const sedge_lines *lines)
{
    return lines->state == SEDGE_LINES_CODE && lines->depth == 0 && !lines->continued;
}

static void scan_code(sedge_lines *lines, char c)
{
    if (c == '"') lines->state = SEDGE_LINES_STRING;
    if (c == '\'') lines->state = SEDGE_LINES_CHARACTER;
    if (lines->last == '/' && c == '/') lines->state = SEDGE_LINES_COMMENT;
    if (lines->last == '/' && c == '*') lines->state = SEDGE_LINES_LONG_COMMENT;
    if (lines->blank && c == '#') lines->directive = true;
    if (c == '(' && !lines->directive) lines->depth++;
    if (c == ')' && !lines->directive && lines->depth > 0) lines->depth--;
}

static void scan_newline(sedge_lines *lines)
{
    lines->line++;
    lines->fresh = true;
    lines->continued = lines->last == '\\';
    lines->blank = !lines->continued;
    if (lines->continued) return;
    lines->directive = false;
    if (lines->state != SEDGE_LINES_LONG_COMMENT) lines->state = SEDGE_LINES_CODE;
}

static void scan(sedge_lines *lines, char c)
{
    const bool escaped = lines->last == '\\';
    const sedge_lines_state before = lines->state;

    if (c == '\n') {
        scan_newline(lines);
        lines->last = c;
        return;
    }
    switch (before) {
    case SEDGE_LINES_CODE:
        scan_code(lines, c);
        break;
    case SEDGE_LINES_STRING:
        if (c == '"' && !escaped) lines->state = SEDGE_LINES_CODE;
        break;
    case SEDGE_LINES_CHARACTER:
        if (c == '\'' && !escaped) lines->state = SEDGE_LINES_CODE;
        break;
    case SEDGE_LINES_LONG_COMMENT:
        if (lines->last == '*' && c == '/') lines->state = SEDGE_LINES_CODE;
        break;
    case SEDGE_LINES_COMMENT:
        break;
    }
    lines->fresh = false;
    if (!isspace((unsigned char)c)) lines->blank = false;
    // A character that began or ended something, and an escaped one, is no part of what follows.
    const bool is_quoted = before == SEDGE_LINES_STRING || before == SEDGE_LINES_CHARACTER;
    const bool is_spent = lines->state != before || (escaped && is_quoted);
    lines->last = c;
    if (is_spent) lines->last = ' ';
}

sedge_status sedge_lines_add(sedge_lines *lines, int line, const char *bytes, size_t length)
{
    while (length > 0) {
        const char *const newline = memchr(bytes, '\n', length);
        const size_t part = newline != NULL ? (size_t)(newline - bytes) + 1 : length;
        if (lines->fresh && *bytes != '\n' && lines->line != line && may_mark(lines)) {
            if (lines->marked) SEDGE_TRY(sedge_text_add(lines->out, "#line %d\n", line));
            lines->line = line;
        }
        SEDGE_TRY(sedge_text_add_bytes(lines->out, bytes, part));
        for (size_t i = 0; i < part; i++) scan(lines, bytes[i]);
        bytes += part;
        length -= part;
    }
    return SEDGE_OK;
}
