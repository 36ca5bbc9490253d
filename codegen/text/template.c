// Templates: the text is split into tokens, the blocks are matched, one pass checks names and
// grammar, and a second pass writes the output.
#include "text/template.h"

#include "base/memory.h"
#include "text/bindings.h"
#include "text/lines.h"
#include "text/template_expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

// ---- tokens ------------------------------------------------------------------------------------

// A line while it is split into tokens.
typedef struct template_line {
    int first;   // token
    bool silent; // so far white space and directives other than `$expression$`
    bool directed;
} template_line;

static bool is_blank(const template_token *token)
{
    for (size_t i = 0; i < token->length; i++)
        if (!isspace((unsigned char)token->whole[i])) return false;
    return true;
}

// What kind of directive stands between the dollars, and where its own text begins.
static void classify(template_token *token)
{
    static const struct {
        const char *word;
        template_kind kind;
    } words[] = {{"for", TEMPLATE_FOR},   {"if", TEMPLATE_IF},   {"elif", TEMPLATE_ELIF},
                 {"else", TEMPLATE_ELSE}, {"end", TEMPLATE_END}, {"let", TEMPLATE_LET}};
    const char *const end = token->whole + token->length;
    const char *at = token->whole;
    size_t length = 0;

    while (at < end && isspace((unsigned char)*at)) at++;
    while (at + length < end && sedge_is_name_part(at[length])) length++;
    token->kind = TEMPLATE_OUTPUT;
    token->inside = at;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != length || memcmp(at, words[i].word, length) != 0) continue;
        token->kind = words[i].kind;
        token->inside = at + length;
    }
}

static template_token *add_token(template_run *run, template_line *line, template_kind kind,
                                 int number, const char *whole, size_t length)
{
    template_token *const token = &run->tokens[run->count++];

    *token = (template_token){
        .kind = kind, .line = number, .whole = whole, .length = length, .inside = whole};
    if (kind == TEMPLATE_OUTPUT) classify(token);
    if (token->kind == TEMPLATE_LITERAL) {
        line->silent = line->silent && is_blank(token);
    } else {
        line->directed = true;
        line->silent = line->silent && token->kind != TEMPLATE_OUTPUT;
    }
    return token;
}

// A line that holds directives only leaves nothing, its end included.
static void end_line(template_run *run, template_line *line)
{
    for (int i = line->first; i < run->count && line->silent && line->directed; i++)
        if (run->tokens[i].kind == TEMPLATE_LITERAL) run->tokens[i].length = 0;
    *line = (template_line){.first = run->count, .silent = true};
}

// What a `$` at `at` begins; `*length` is how many bytes it has, both dollars included.
static sedge_status split_dollar(template_run *run, template_line *line, int number, const char *at,
                                 size_t *length)
{
    const size_t inside = strcspn(at + 1, "$\n");

    *length = inside + 2;
    if (at[1] == '$') {
        (void)add_token(run, line, TEMPLATE_LITERAL, number, at + 1, 1);
        return SEDGE_OK;
    }
    if (at[1 + inside] != '$') {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: '%.*s' has no second '$' in its line; a dollar is written '$$'",
                          run->pattern->name, number, (int)(inside < 40 ? inside : 40) + 1, at);
    }
    (void)add_token(run, line, TEMPLATE_OUTPUT, number, at + 1, inside);
    return SEDGE_OK;
}

static sedge_status split(template_run *run, const char *at)
{
    template_line line = {.silent = true};
    int number = 1;

    while (*at != '\0') {
        size_t length = strcspn(at, "$\n");
        const bool ends = at[length] == '\n';
        if (ends) length++;
        if (length > 0) (void)add_token(run, &line, TEMPLATE_LITERAL, number, at, length);
        at += length;
        if (ends) {
            end_line(run, &line);
            number++;
        } else if (*at == '$') {
            SEDGE_TRY(split_dollar(run, &line, number, at, &length));
            at += length;
        }
    }
    end_line(run, &line);
    return SEDGE_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

static sedge_status check_part(template_run *run, const template_token *opener)
{
    const template_kind kind = run->token->kind;

    if (opener == NULL) return TEMPLATE_FAIL(run, "there is no block here that it could belong to");
    if (kind == TEMPLATE_END) return SEDGE_OK;
    if (opener->kind == TEMPLATE_FOR)
        return TEMPLATE_FAIL(run, "the block of line %d is no $if$", opener->line);
    if (opener->kind == TEMPLATE_ELSE)
        return TEMPLATE_FAIL(run, "it stands behind the $else$ of line %d", opener->line);
    return SEDGE_OK;
}

// Let each part of a block know the next one.
static sedge_status match(template_run *run)
{
    int open[SEDGE_TEMPLATE_DEPTH]; // the last part so far of each open block
    int depth = 0;

    for (int i = 0; i < run->count; i++) {
        const template_kind kind = run->tokens[i].kind;
        run->token = &run->tokens[i];
        if (kind == TEMPLATE_ELIF || kind == TEMPLATE_ELSE || kind == TEMPLATE_END) {
            SEDGE_TRY(check_part(run, depth > 0 ? &run->tokens[open[depth - 1]] : NULL));
            run->tokens[open[--depth]].next = i;
        }
        if (kind == TEMPLATE_FOR || kind == TEMPLATE_IF || kind == TEMPLATE_ELIF ||
            kind == TEMPLATE_ELSE) {
            if (depth == SEDGE_TEMPLATE_DEPTH) {
                return TEMPLATE_FAIL(run, "blocks are nested too deeply: at most %d levels",
                                     SEDGE_TEMPLATE_DEPTH);
            }
            open[depth++] = i;
        }
    }
    if (depth == 0) return SEDGE_OK;
    run->token = &run->tokens[open[depth - 1]];
    return TEMPLATE_FAIL(run, "its $end$ is missing");
}

// ---- names -------------------------------------------------------------------------------------

static void drop_variables(template_run *run, int kept)
{
    while (run->variable_count > kept) sedge_release(run->variables[--run->variable_count].owned);
}

static sedge_status check_new(const template_run *run, const char *name, size_t length)
{
    if (sedge_pattern_find(run->pattern, name, length) < 0) return SEDGE_OK;
    return TEMPLATE_FAIL(run, "'%.*s' is the name of a given value, which stays", (int)length,
                         name);
}

static template_variable *add_variable(template_run *run, const char *name, size_t length)
{
    template_variable *const variable = &run->variables[run->variable_count++];

    *variable = (template_variable){.name = name, .length = length};
    variable->value.kind = SEDGE_BINDING_INTEGER;
    return variable;
}

// `*variable` gets the value; its text, which may be scratch or the variable's own, is copied.
static sedge_status assign(template_variable *variable, const template_value *value)
{
    char *copy = NULL;

    if (value->kind == SEDGE_BINDING_TEXT) {
        const size_t length = strlen(value->text);
        SEDGE_TRY(sedge_allocate(&copy, (int64_t)length + 1, 1));
        memcpy(copy, value->text, length);
    }
    sedge_release(variable->owned);
    variable->owned = copy;
    variable->value = *value;
    variable->value.text = copy;
    return SEDGE_OK;
}

// ---- running -----------------------------------------------------------------------------------

static sedge_status run_tokens(template_run *run, int first, int stop, bool live);

static sedge_status add_output(template_run *run, const char *bytes, size_t length)
{
    SEDGE_TRY(sedge_lines_add(&run->lines, run->token->line, bytes, length));
    if (sedge_text_length(run->made) <= SEDGE_TEMPLATE_BYTES) return SEDGE_OK;
    return TEMPLATE_FAIL(run, "the output is longer than %d bytes", SEDGE_TEMPLATE_BYTES);
}

static sedge_status run_output(template_run *run, bool live)
{
    template_reader reader = template_read(run, live);
    template_value value;
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY(template_read_value(&reader, &value));
    SEDGE_TRY(template_expect_end(&reader));
    if (!live) return SEDGE_OK;
    const sedge_binding binding = {
        .kind = value.kind, .text = value.text, .integer = value.integer, .real = value.real};
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_binding_write(text, &binding));
    SEDGE_TRY_GOTO(status, add_output(run, sedge_text_get(text), sedge_text_length(text)));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status run_let(template_run *run, bool live)
{
    template_reader reader = template_read(run, live);
    template_value value;
    const char *name;
    size_t length;

    SEDGE_TRY(template_read_name(&reader, &name, &length));
    SEDGE_TRY(check_new(run, name, length));
    SEDGE_TRY(template_expect(&reader, "="));
    SEDGE_TRY(template_read_value(&reader, &value));
    SEDGE_TRY(template_expect_end(&reader));
    template_variable *variable = template_find_variable(run, name, length);
    if (variable == NULL) variable = add_variable(run, name, length);
    if (variable->is_loop) {
        return TEMPLATE_FAIL(run, "'%.*s' counts a loop and cannot be set", (int)length, name);
    }
    return live ? assign(variable, &value) : SEDGE_OK;
}

typedef struct template_range {
    const char *name;
    size_t length;
    int64_t first, stop, step;
} template_range;

// How often the loop runs; at most INT64_MAX.
static int64_t count_steps(const template_range *range)
{
    const uint64_t first = (uint64_t)range->first;
    const uint64_t stop = (uint64_t)range->stop;
    const uint64_t step = (uint64_t)range->step;
    uint64_t count = 0;

    // Differences are right modulo 2^64, and not negative.
    if (range->step > 0 && range->first < range->stop) count = (stop - first - 1) / step + 1;
    if (range->step < 0 && range->first > range->stop) count = (first - stop - 1) / (0 - step) + 1;
    return count < INT64_MAX ? (int64_t)count : INT64_MAX;
}

static sedge_status read_range(template_run *run, template_range *range, bool live)
{
    template_reader reader = template_read(run, live);

    range->step = 1;
    SEDGE_TRY(template_read_name(&reader, &range->name, &range->length));
    SEDGE_TRY(check_new(run, range->name, range->length));
    if (template_find_variable(run, range->name, range->length) != NULL) {
        return TEMPLATE_FAIL(run, "'%.*s' has a value already", (int)range->length, range->name);
    }
    SEDGE_TRY(template_expect(&reader, "in"));
    SEDGE_TRY(template_read_integer(&reader, &range->first));
    SEDGE_TRY(template_expect(&reader, ".."));
    SEDGE_TRY(template_read_integer(&reader, &range->stop));
    if (template_accept(&reader, "step")) SEDGE_TRY(template_read_integer(&reader, &range->step));
    SEDGE_TRY(template_expect_end(&reader));
    if (!live) return SEDGE_OK;
    if (range->step == 0) return TEMPLATE_FAIL(run, "the step is 0");
    if (count_steps(range) <= SEDGE_TEMPLATE_STEPS) return SEDGE_OK;
    return TEMPLATE_FAIL(run, "from %" PRId64 " to %" PRId64 " are too many steps: at most %d",
                         range->first, range->stop, SEDGE_TEMPLATE_STEPS);
}

// Not live: the body once.
static sedge_status run_for(template_run *run, int opener, bool live)
{
    const int end = run->tokens[opener].next;
    const int kept = run->variable_count;
    template_range range = {.first = 0};

    SEDGE_TRY(read_range(run, &range, live));
    const int64_t count = live ? count_steps(&range) : 1;
    template_variable *const variable = add_variable(run, range.name, range.length);
    variable->is_loop = true;
    variable->value.integer = range.first;
    for (int64_t i = 0; i < count; i++) {
        SEDGE_TRY(run_tokens(run, opener + 1, end, live));
        // Past the last one, the sum may have no value.
        if (i + 1 < count) variable->value.integer += range.step;
    }
    drop_variables(run, kept);
    return SEDGE_OK;
}

// Live: the first part whose condition holds. Not live: all parts.
static sedge_status run_if(template_run *run, int part, bool live)
{
    while (run->tokens[part].kind != TEMPLATE_END) {
        const int next = run->tokens[part].next;
        int64_t condition = 1;
        run->token = &run->tokens[part];
        template_reader reader = template_read(run, live);
        if (run->token->kind != TEMPLATE_ELSE)
            SEDGE_TRY(template_read_integer(&reader, &condition));
        SEDGE_TRY(template_expect_end(&reader));
        if (!live || condition != 0) SEDGE_TRY(run_tokens(run, part + 1, next, live));
        if (live && condition != 0) return SEDGE_OK;
        part = next;
    }
    return SEDGE_OK;
}

// Run the token, or the whole block that it opens; `*at` is then the one behind.
static sedge_status run_token(template_run *run, int *at, bool live)
{
    const template_token *const token = &run->tokens[*at];
    int last = *at;

    run->token = token;
    if (++run->steps > SEDGE_TEMPLATE_STEPS)
        return TEMPLATE_FAIL(run, "more than %d steps: loops run too often", SEDGE_TEMPLATE_STEPS);
    switch (token->kind) {
    case TEMPLATE_LITERAL:
        if (live) SEDGE_TRY(add_output(run, token->whole, token->length));
        break;
    case TEMPLATE_OUTPUT:
        SEDGE_TRY(run_output(run, live));
        break;
    case TEMPLATE_LET:
        SEDGE_TRY(run_let(run, live));
        break;
    case TEMPLATE_FOR:
        SEDGE_TRY(run_for(run, *at, live));
        last = token->next;
        break;
    case TEMPLATE_IF:
        SEDGE_TRY(run_if(run, *at, live));
        while (run->tokens[last].kind != TEMPLATE_END) last = run->tokens[last].next;
        break;
    case TEMPLATE_ELIF:
    case TEMPLATE_ELSE:
    case TEMPLATE_END:
        break; // behind the parts that blocks run
    }
    template_clear_scratch(run);
    *at = last + 1;
    return SEDGE_OK;
}

static sedge_status run_tokens(template_run *run, int first, int stop, bool live)
{
    const int kept = run->variable_count;

    for (int i = first; i < stop;) SEDGE_TRY(run_token(run, &i, live));
    drop_variables(run, kept);
    return SEDGE_OK;
}

static sedge_status check_ends(template_run *run)
{
    for (int i = 0; i < run->count; i++) {
        run->token = &run->tokens[i];
        if (run->token->kind != TEMPLATE_END) continue;
        template_reader reader = template_read(run, false);
        SEDGE_TRY(template_expect_end(&reader));
    }
    return SEDGE_OK;
}

static sedge_status check_words(const sedge_pattern *pattern)
{
    for (int i = 0; i < pattern->count; i++) {
        const char *const name = pattern->bindings[i].name;
        if (!template_is_word(name, strlen(name))) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: '%s' is a word of the language, not a name",
                          pattern->name, name);
    }
    return SEDGE_OK;
}

static sedge_status run_whole(template_run *run, const char *text)
{
    const sedge_pattern *const pattern = run->pattern;
    int64_t bound = 1;

    // Each dollar and each newline ends at most one piece of text and one directive.
    for (const char *at = text; *at != '\0'; at++) bound += *at == '$' || *at == '\n' ? 2 : 0;
    SEDGE_TRY(sedge_allocate(&run->used, pattern->count, sizeof *run->used));
    SEDGE_TRY(sedge_allocate(&run->tokens, bound, sizeof *run->tokens));
    SEDGE_TRY(sedge_allocate(&run->variables, bound, sizeof *run->variables));
    SEDGE_TRY(split(run, text));
    SEDGE_TRY(match(run));
    SEDGE_TRY(check_ends(run));
    SEDGE_TRY(run_tokens(run, 0, run->count, false));
    SEDGE_TRY(sedge_pattern_check_used(pattern, run->used));
    run->steps = 0;
    SEDGE_TRY(sedge_lines_begin(&run->lines, run->made, pattern));
    return run_tokens(run, 0, run->count, true);
}

sedge_status sedge_template_write(sedge_text *out, const sedge_pattern *pattern)
{
    template_run run = {.pattern = pattern};
    sedge_status status;
    const char *text = NULL;
    char *found = NULL;

    SEDGE_TRY_GOTO(status, sedge_pattern_check(pattern, true));
    SEDGE_TRY_GOTO(status, check_words(pattern));
    SEDGE_TRY_GOTO(status, sedge_pattern_text(&text, &found, pattern));
    SEDGE_TRY_GOTO(status, sedge_text_create(&run.made));
    SEDGE_TRY_GOTO(status, run_whole(&run, text));
    SEDGE_TRY_GOTO(
        status, sedge_text_add_bytes(out, sedge_text_get(run.made), sedge_text_length(run.made)));
done:
    drop_variables(&run, 0);
    template_clear_scratch(&run);
    sedge_text_free(run.made);
    sedge_release(run.tokens);
    sedge_release(run.variables);
    sedge_release(run.used);
    sedge_release(found);
    return status;
}
