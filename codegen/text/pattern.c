#include "text/pattern_internal.h"

#include "base/near.h"
#include "text/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX         256 // a hint looks at so many
#define ORIGIN_TEXT_MAX   40  // bytes of a value in the comment line
#define ORIGIN_VALUES_MAX 8   // of a list

// ---- values ------------------------------------------------------------------------------------

sedge_status sedge_constant_write(sedge_text *out, sedge_binding_kind kind, double value)
{
    const bool is_float = kind == SEDGE_BINDING_FLOAT;
    const double number = is_float ? (double)(float)value : value;
    const bool negative = signbit(number) != 0;

    if (!isfinite(number)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%g is not a finite number%s: it cannot be a constant",
                          value, is_float && isfinite(value) ? " of type float" : "");
    }
    return sedge_text_add(out, "%s%a%s%s", negative ? "(" : "", number, is_float ? "f" : "",
                          negative ? ")" : "");
}

static sedge_status write_integer(sedge_text *out, int64_t value)
{
    // The least one has no constant of its own in C.
    if (value == INT64_MIN) return sedge_text_add(out, "(%" PRId64 " - 1)", value + 1);
    return sedge_text_add(out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

sedge_status sedge_binding_write(sedge_text *out, const sedge_binding *binding)
{
    switch (binding->kind) {
    case SEDGE_BINDING_TEXT:
        return sedge_text_add(out, "%s", binding->text);
    case SEDGE_BINDING_INTEGER:
        return write_integer(out, binding->integer);
    case SEDGE_BINDING_FLOAT:
    case SEDGE_BINDING_DOUBLE:
        break;
    }
    return sedge_constant_write(out, binding->kind, binding->real);
}

bool sedge_is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

bool sedge_is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *name)
{
    if (!sedge_is_name_start(*name)) return false;
    while (sedge_is_name_part(*name)) name++;
    return *name == '\0';
}

static sedge_status check_value(const sedge_pattern *pattern, const sedge_binding *binding, int i)
{
    const bool is_list = binding->is_list;

    switch (binding->kind) {
    case SEDGE_BINDING_TEXT:
        if ((is_list ? binding->texts[i] : binding->text) != NULL) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the text of '%s' is NULL", pattern->name,
                          binding->name);
    case SEDGE_BINDING_FLOAT:
    case SEDGE_BINDING_DOUBLE: {
        const double value = is_list ? binding->reals[i] : binding->real;
        const bool is_float = binding->kind == SEDGE_BINDING_FLOAT;
        if (is_float ? isfinite((float)value) : isfinite(value)) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: '%s' is %g, which is not a finite %s",
                          pattern->name, binding->name, value, is_float ? "float" : "double");
    }
    case SEDGE_BINDING_INTEGER:
        break;
    }
    return SEDGE_OK;
}

static sedge_status check_binding(const sedge_pattern *pattern, const sedge_binding *binding,
                                  bool lists)
{
    if (!is_name(binding->name)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: '%s' is not a name: letters, digits and '_', no digit first",
                          pattern->name, binding->name);
    }
    if (sedge_pattern_find(pattern, binding->name, strlen(binding->name)) !=
        (int)(binding - pattern->bindings))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: '%s' has two values", pattern->name, binding->name);
    if (!binding->is_list) return check_value(pattern, binding, 0);
    if (!lists) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: '%s' is a list: only templates take lists",
                          pattern->name, binding->name);
    }
    for (int i = 0; i < binding->count; i++) SEDGE_TRY(check_value(pattern, binding, i));
    return SEDGE_OK;
}

sedge_status sedge_pattern_check(const sedge_pattern *pattern, bool lists)
{
    for (const char *at = pattern->name; *at != '\0'; at++) {
        if (isprint((unsigned char)*at) && *at != '"' && *at != '\\') continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the name of a pattern holds the character code %d: '%s'",
                          (unsigned char)*at, pattern->name);
    }
    for (int i = 0; i < pattern->count; i++)
        SEDGE_TRY(check_binding(pattern, &pattern->bindings[i], lists));
    return SEDGE_OK;
}

int sedge_pattern_find(const sedge_pattern *pattern, const char *name, size_t length)
{
    for (int i = 0; i < pattern->count; i++) {
        const char *const known = pattern->bindings[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return i;
    }
    return -1;
}

void sedge_pattern_hint(char text[SEDGE_HINT_LENGTH], const sedge_pattern *pattern,
                        const char *name, size_t length)
{
    const char *names[NAMES_MAX];
    const int count = pattern->count < NAMES_MAX ? pattern->count : NAMES_MAX;
    char word[64];

    text[0] = '\0';
    for (int i = 0; i < count; i++) names[i] = pattern->bindings[i].name;
    (void)snprintf(word, sizeof word, "%.*s", (int)(length < 64 ? length : 63), name);
    const int near = sedge_near_find(word, names, count);
    if (near >= 0) (void)snprintf(text, SEDGE_HINT_LENGTH, "; did you mean '%.64s'?", names[near]);
}

sedge_status sedge_pattern_check_used(const sedge_pattern *pattern, const bool *used)
{
    for (int i = 0; i < pattern->count; i++) {
        if (used[i]) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: the value '%s' is not used", pattern->name,
                          pattern->bindings[i].name);
    }
    return SEDGE_OK;
}

sedge_status sedge_pattern_text(const char **text, char **found, const sedge_pattern *pattern)
{
    *found = NULL;
    *text = pattern->text;
    if (pattern->text != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_source_get(found, pattern->name));
    *text = *found;
    return SEDGE_OK;
}

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
