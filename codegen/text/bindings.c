#include "text/bindings.h"

#include "base/near.h"
#include "text/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256 // a hint looks at so many

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
