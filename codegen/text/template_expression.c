#include "text/template_expression.h"

#include "base/memory.h"
#include "text/bindings.h"
#include "text/template_limits.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void template_explain(const template_run *run, const char *format, ...)
{
    char text[512];
    va_list args;
    const template_token *const token = run->token;
    const int shown = token->length < 100 ? (int)token->length : 100;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: in '$%.*s$': %s", run->pattern->name, token->line,
                     shown, token->whole, text);
}

// ---- words -------------------------------------------------------------------------------------

template_reader template_read(template_run *run, bool live)
{
    const template_token *const token = run->token;

    return (template_reader){
        .run = run, .at = token->inside, .end = token->whole + token->length, .live = live};
}

static void skip_blanks(template_reader *reader)
{
    while (reader->at < reader->end && isspace((unsigned char)*reader->at)) reader->at++;
}

// The name at the present place; 0 bytes: none.
static size_t name_length(const template_reader *reader)
{
    const char *at = reader->at;

    if (at == reader->end || !sedge_is_name_start(*at)) return 0;
    while (at < reader->end && sedge_is_name_part(*at)) at++;
    return (size_t)(at - reader->at);
}

bool template_accept(template_reader *reader, const char *word)
{
    const size_t length = strlen(word);

    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length) return false;
    if (memcmp(reader->at, word, length) != 0) return false;
    if (sedge_is_name_start(*word) && name_length(reader) != length) return false;
    reader->at += length;
    return true;
}

static sedge_status fail_at(const template_reader *reader, const char *expected)
{
    const size_t left = (size_t)(reader->end - reader->at);

    if (left == 0) return TEMPLATE_FAIL(reader->run, "%s is expected at the end", expected);
    return TEMPLATE_FAIL(reader->run, "%s is expected at '%.*s'", expected,
                         (int)(left < 40 ? left : 40), reader->at);
}

sedge_status template_expect(template_reader *reader, const char *word)
{
    char expected[16];

    if (template_accept(reader, word)) return SEDGE_OK;
    (void)snprintf(expected, sizeof expected, "'%s'", word);
    return fail_at(reader, expected);
}

sedge_status template_expect_end(template_reader *reader)
{
    skip_blanks(reader);
    return reader->at == reader->end ? SEDGE_OK : fail_at(reader, "an operator or the end");
}

bool template_is_word(const char *name, size_t length)
{
    static const char *const words[] = {"for", "in",  "step", "if", "elif", "else",
                                        "end", "let", "and",  "or", "not",  "len"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return true;
    return false;
}

sedge_status template_read_name(template_reader *reader, const char **name, size_t *length)
{
    skip_blanks(reader);
    *name = reader->at;
    *length = name_length(reader);
    if (*length == 0) return fail_at(reader, "a name");
    if (template_is_word(*name, *length))
        return fail_at(reader, "a name, not a word of the language,");
    reader->at += *length;
    return SEDGE_OK;
}

// ---- text --------------------------------------------------------------------------------------

void template_clear_scratch(template_run *run)
{
    while (run->scratch != NULL) {
        template_scratch *const next = run->scratch->next;
        sedge_release(run->scratch);
        run->scratch = next;
    }
}

// `a` and `b` one behind the other, as scratch.
static sedge_status join(template_run *run, const char **out, const char *a, size_t a_length,
                         const char *b, size_t b_length)
{
    template_scratch *scratch;

    if (a_length + b_length > SEDGE_TEMPLATE_TEXT) {
        return TEMPLATE_FAIL(run, "a text of %zu bytes is too long: at most %d",
                             a_length + b_length, SEDGE_TEMPLATE_TEXT);
    }
    SEDGE_TRY(sedge_allocate(&scratch, (int64_t)(sizeof *scratch + a_length + b_length + 1), 1));
    scratch->next = run->scratch;
    run->scratch = scratch;
    memcpy(scratch->text, a, a_length);
    memcpy(scratch->text + a_length, b, b_length);
    *out = scratch->text;
    return SEDGE_OK;
}

// ---- operations --------------------------------------------------------------------------------

static const char *kind_name(sedge_binding_kind kind)
{
    switch (kind) {
    case SEDGE_BINDING_TEXT:
        return "a text";
    case SEDGE_BINDING_INTEGER:
        return "an integer";
    case SEDGE_BINDING_FLOAT:
        return "a float";
    case SEDGE_BINDING_DOUBLE:
        return "a double";
    }
    return "";
}

static template_value integer_value(int64_t value)
{
    return (template_value){.kind = SEDGE_BINDING_INTEGER, .integer = value};
}

static sedge_status want_integer(const template_run *run, const template_value *value,
                                 const char *what)
{
    if (value->kind == SEDGE_BINDING_INTEGER) return SEDGE_OK;
    return TEMPLATE_FAIL(run, "%s takes integers, not %s", what, kind_name(value->kind));
}

static bool sum_overflows(int64_t a, int64_t b)
{
    return b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
}

static bool difference_overflows(int64_t a, int64_t b)
{
    return b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b;
}

static bool product_overflows(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return false;
    if (a > 0) return b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
    return b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a;
}

static sedge_status divide(const template_run *run, int64_t *out, char operation, int64_t a,
                           int64_t b)
{
    if (b == 0) return TEMPLATE_FAIL(run, "%" PRId64 " %c 0 is a division by zero", a, operation);
    if (b == -1) { // INT64_MIN / -1 has no value
        if (operation == '/' && a == INT64_MIN)
            return TEMPLATE_FAIL(run, "%" PRId64 " / -1 is out of 64 bits", a);
        *out = operation == '/' ? -a : 0;
        return SEDGE_OK;
    }
    *out = operation == '/' ? a / b : a % b;
    return SEDGE_OK;
}

static sedge_status calculate(template_run *run, template_value *a, char operation,
                              const template_value *b)
{
    const char name[] = {'\'', operation, '\'', '\0'};
    const int64_t x = a->integer;
    const int64_t y = b->integer;
    bool overflows = false;

    if (operation == '+' && a->kind == SEDGE_BINDING_TEXT && b->kind == SEDGE_BINDING_TEXT)
        return join(run, &a->text, a->text, strlen(a->text), b->text, strlen(b->text));
    if (a->kind != b->kind) {
        return TEMPLATE_FAIL(run, "%s of %s and %s", name, kind_name(a->kind), kind_name(b->kind));
    }
    SEDGE_TRY(want_integer(run, a, name));
    if (operation == '/' || operation == '%') return divide(run, &a->integer, operation, x, y);
    if (operation == '+') overflows = sum_overflows(x, y);
    if (operation == '-') overflows = difference_overflows(x, y);
    if (operation == '*') overflows = product_overflows(x, y);
    if (overflows) {
        return TEMPLATE_FAIL(run, "%" PRId64 " %c %" PRId64 " is out of 64 bits", x, operation, y);
    }
    a->integer = operation == '+' ? x + y : operation == '-' ? x - y : x * y;
    return SEDGE_OK;
}

typedef enum comparison {
    EQUAL,
    UNEQUAL,
    AT_MOST,
    AT_LEAST,
    LESS,
    GREATER,
    COMPARISONS
} comparison;

static const char *const comparison_words[COMPARISONS] = {"==", "!=", "<=", ">=", "<", ">"};

static bool holds(comparison operation, int order)
{
    switch (operation) {
    case EQUAL:
        return order == 0;
    case UNEQUAL:
        return order != 0;
    case AT_MOST:
        return order <= 0;
    case AT_LEAST:
        return order >= 0;
    case LESS:
        return order < 0;
    case GREATER:
        return order > 0;
    case COMPARISONS:
        break;
    }
    return false;
}

static sedge_status compare(template_run *run, template_value *a, comparison operation,
                            const template_value *b)
{
    char name[8];
    int order;

    (void)snprintf(name, sizeof name, "'%s'", comparison_words[operation]);
    if (a->kind != b->kind) {
        return TEMPLATE_FAIL(run, "%s of %s and %s", name, kind_name(a->kind), kind_name(b->kind));
    }
    if (a->kind == SEDGE_BINDING_TEXT && (operation == EQUAL || operation == UNEQUAL)) {
        order = strcmp(a->text, b->text);
    } else {
        SEDGE_TRY(want_integer(run, a, name));
        order = (a->integer > b->integer) - (a->integer < b->integer);
    }
    *a = integer_value(holds(operation, order));
    return SEDGE_OK;
}

// ---- grammar -----------------------------------------------------------------------------------

static sedge_status read_literal(template_reader *reader, template_value *out)
{
    const char *const begin = ++reader->at;
    const char *const quote = memchr(begin, '"', (size_t)(reader->end - begin));

    if (quote == NULL) return TEMPLATE_FAIL(reader->run, "a text does not end: '\"' is missing");
    reader->at = quote + 1;
    out->kind = SEDGE_BINDING_TEXT;
    return join(reader->run, &out->text, begin, (size_t)(quote - begin), "", 0);
}

static sedge_status read_number(template_reader *reader, template_value *out)
{
    *out = integer_value(0);
    for (; reader->at < reader->end && isdigit((unsigned char)*reader->at); reader->at++) {
        const int digit = *reader->at - '0';
        if (out->integer > (INT64_MAX - digit) / 10)
            return TEMPLATE_FAIL(reader->run, "a number is out of 64 bits");
        out->integer = out->integer * 10 + digit;
    }
    if (reader->at < reader->end && sedge_is_name_start(*reader->at))
        return fail_at(reader, "an operator");
    return SEDGE_OK;
}

template_variable *template_find_variable(template_run *run, const char *name, size_t length)
{
    for (int i = 0; i < run->variable_count; i++) {
        template_variable *const variable = &run->variables[i];
        if (variable->length == length && memcmp(variable->name, name, length) == 0)
            return variable;
    }
    return NULL;
}

// What a binding is worth, as a whole or at `index`.
static template_value binding_value(const sedge_binding *binding, int64_t index)
{
    template_value value = {.kind = binding->kind};

    if (!binding->is_list) {
        value.text = binding->text;
        value.integer = binding->integer;
        value.real = binding->real;
        return value;
    }
    if (binding->texts != NULL) value.text = binding->texts[index];
    if (binding->integers != NULL) value.integer = binding->integers[index];
    if (binding->reals != NULL) value.real = binding->reals[index];
    return value;
}

static sedge_status find_binding(const template_reader *reader, const sedge_binding **out,
                                 const char *name, size_t length)
{
    const template_run *const run = reader->run;
    char hint[SEDGE_HINT_LENGTH];
    const int i = sedge_pattern_find(run->pattern, name, length);

    if (i < 0) {
        sedge_pattern_hint(hint, run->pattern, name, length);
        return TEMPLATE_FAIL(run, "'%.*s' has no value%s", (int)(length < 64 ? length : 64), name,
                             hint);
    }
    run->used[i] = true;
    *out = &run->pattern->bindings[i];
    return SEDGE_OK;
}

static sedge_status read_index(template_reader *reader, const sedge_binding *binding,
                               template_value *out)
{
    int64_t index = 0;

    if (!binding->is_list)
        return TEMPLATE_FAIL(reader->run, "'%s' is no list and has no index", binding->name);
    SEDGE_TRY(template_read_integer(reader, &index));
    SEDGE_TRY(template_expect(reader, "]"));
    if (!reader->live) return SEDGE_OK;
    if (index < 0 || index >= binding->count) {
        return TEMPLATE_FAIL(reader->run, "%s[%" PRId64 "] is not there: the list has %d entries",
                             binding->name, index, binding->count);
    }
    *out = binding_value(binding, index);
    return SEDGE_OK;
}

static sedge_status read_named(template_reader *reader, template_value *out)
{
    const sedge_binding *binding = NULL;
    const char *name;
    size_t length;

    SEDGE_TRY(template_read_name(reader, &name, &length));
    const template_variable *const variable = template_find_variable(reader->run, name, length);
    if (variable != NULL) {
        *out = variable->value;
        return SEDGE_OK;
    }
    SEDGE_TRY(find_binding(reader, &binding, name, length));
    if (template_accept(reader, "[")) return read_index(reader, binding, out);
    if (binding->is_list) {
        return TEMPLATE_FAIL(reader->run, "'%s' is a list: %s[...] or len(%s) are values",
                             binding->name, binding->name, binding->name);
    }
    *out = binding_value(binding, 0);
    return SEDGE_OK;
}

static sedge_status read_length(template_reader *reader, template_value *out)
{
    const sedge_binding *binding = NULL;
    const char *name;
    size_t length;

    SEDGE_TRY(template_expect(reader, "("));
    SEDGE_TRY(template_read_name(reader, &name, &length));
    SEDGE_TRY(template_expect(reader, ")"));
    if (template_find_variable(reader->run, name, length) == NULL)
        SEDGE_TRY(find_binding(reader, &binding, name, length));
    if (binding == NULL || !binding->is_list) {
        return TEMPLATE_FAIL(reader->run, "'%.*s' is no list and has no length",
                             (int)(length < 64 ? length : 64), name);
    }
    *out = integer_value(binding->count);
    return SEDGE_OK;
}

static sedge_status enter(template_reader *reader)
{
    if (++reader->depth <= SEDGE_TEMPLATE_DEPTH) return SEDGE_OK;
    return TEMPLATE_FAIL(reader->run, "the expression is nested too deeply: at most %d levels",
                         SEDGE_TEMPLATE_DEPTH);
}

static sedge_status read_primary(template_reader *reader, template_value *out)
{
    skip_blanks(reader);
    if (reader->at == reader->end) return fail_at(reader, "a value");
    if (*reader->at == '"') return read_literal(reader, out);
    if (isdigit((unsigned char)*reader->at)) return read_number(reader, out);
    if (template_accept(reader, "len")) return read_length(reader, out);
    if (sedge_is_name_start(*reader->at)) return read_named(reader, out);
    if (!template_accept(reader, "(")) return fail_at(reader, "a value");
    SEDGE_TRY(enter(reader));
    SEDGE_TRY(template_read_value(reader, out));
    SEDGE_TRY(template_expect(reader, ")"));
    reader->depth--;
    return SEDGE_OK;
}

static sedge_status read_unary(template_reader *reader, template_value *out)
{
    if (!template_accept(reader, "-")) return read_primary(reader, out);
    SEDGE_TRY(enter(reader));
    SEDGE_TRY(read_unary(reader, out));
    reader->depth--;
    if (!reader->live) return SEDGE_OK;
    SEDGE_TRY(want_integer(reader->run, out, "'-'"));
    const template_value value = *out;
    *out = integer_value(0);
    return calculate(reader->run, out, '-', &value);
}

// Operands of one precedence from left to right; `next` reads one.
static sedge_status read_operands(template_reader *reader, template_value *out,
                                  const char *const *operations,
                                  sedge_status (*next)(template_reader *, template_value *))
{
    SEDGE_TRY(next(reader, out));
    for (;;) {
        template_value right = {.kind = SEDGE_BINDING_INTEGER};
        int i = 0;
        while (operations[i] != NULL && !template_accept(reader, operations[i])) i++;
        if (operations[i] == NULL) return SEDGE_OK;
        SEDGE_TRY(next(reader, &right));
        if (reader->live) SEDGE_TRY(calculate(reader->run, out, operations[i][0], &right));
    }
}

static sedge_status read_product(template_reader *reader, template_value *out)
{
    static const char *const operations[] = {"*", "/", "%", NULL};

    return read_operands(reader, out, operations, read_unary);
}

static sedge_status read_sum(template_reader *reader, template_value *out)
{
    static const char *const operations[] = {"+", "-", NULL};

    return read_operands(reader, out, operations, read_product);
}

static sedge_status read_comparison(template_reader *reader, template_value *out)
{
    SEDGE_TRY(read_sum(reader, out));
    for (int i = 0; i < COMPARISONS; i++) {
        template_value right = {.kind = SEDGE_BINDING_INTEGER};
        if (!template_accept(reader, comparison_words[i])) continue;
        SEDGE_TRY(read_sum(reader, &right));
        return reader->live ? compare(reader->run, out, (comparison)i, &right) : SEDGE_OK;
    }
    return SEDGE_OK;
}

static sedge_status read_not(template_reader *reader, template_value *out)
{
    if (!template_accept(reader, "not")) return read_comparison(reader, out);
    SEDGE_TRY(enter(reader));
    SEDGE_TRY(read_not(reader, out));
    reader->depth--;
    if (!reader->live) return SEDGE_OK;
    SEDGE_TRY(want_integer(reader->run, out, "'not'"));
    *out = integer_value(out->integer == 0);
    return SEDGE_OK;
}

// `word` is "and" or "or". What cannot change the result is read and not evaluated.
static sedge_status read_logic(template_reader *reader, template_value *out, const char *word,
                               bool decisive,
                               sedge_status (*next)(template_reader *, template_value *))
{
    const bool live = reader->live;

    SEDGE_TRY(next(reader, out));
    while (template_accept(reader, word)) {
        template_value right = {.kind = SEDGE_BINDING_INTEGER};
        if (reader->live) {
            SEDGE_TRY(want_integer(reader->run, out, word));
            *out = integer_value(out->integer != 0);
            reader->live = (out->integer != 0) != decisive;
        }
        SEDGE_TRY(next(reader, &right));
        if (!reader->live) continue;
        SEDGE_TRY(want_integer(reader->run, &right, word));
        *out = integer_value(right.integer != 0);
    }
    reader->live = live;
    return SEDGE_OK;
}

static sedge_status read_and(template_reader *reader, template_value *out)
{
    return read_logic(reader, out, "and", false, read_not);
}

sedge_status template_read_value(template_reader *reader, template_value *out)
{
    *out = integer_value(0);
    SEDGE_TRY(read_logic(reader, out, "or", true, read_and));
    if (!reader->live) *out = integer_value(0);
    return SEDGE_OK;
}

sedge_status template_read_integer(template_reader *reader, int64_t *out)
{
    template_value value;

    SEDGE_TRY(template_read_value(reader, &value));
    SEDGE_TRY(want_integer(reader->run, &value, "this place"));
    *out = value.integer;
    return SEDGE_OK;
}
