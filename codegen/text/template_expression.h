// Inside templates: the state of one template that is being written, and the reader of its
// expressions. For template.c.
#pragma once

#include "text/lines.h"
#include "text/pattern.h"

typedef enum template_kind {
    TEMPLATE_LITERAL,
    TEMPLATE_OUTPUT,
    TEMPLATE_LET,
    TEMPLATE_FOR,
    TEMPLATE_IF,
    TEMPLATE_ELIF,
    TEMPLATE_ELSE,
    TEMPLATE_END
} template_kind;

// A piece of the template: text of one line, or a directive.
typedef struct template_token {
    template_kind kind;
    int line;
    const char *whole; // without the dollars; of a literal, its text
    size_t length;
    const char *inside; // behind the directive's word
    int next;           // of a part of a block, the token of the next part or the end
} template_token;

typedef struct template_value {
    sedge_binding_kind kind;
    int64_t integer;
    double real;
    const char *text; // a binding's, a variable's, or scratch
} template_value;

typedef struct template_variable {
    const char *name; // [length]
    size_t length;
    template_value value;
    char *owned; // text of the value, or NULL
    bool is_loop;
} template_variable;

// Text that an expression makes, until the next directive.
typedef struct template_scratch {
    struct template_scratch *next;
    char text[];
} template_scratch;

typedef struct template_run {
    const sedge_pattern *pattern;
    bool *used; // [pattern->count]
    template_token *tokens;
    int count;
    template_variable *variables; // one place for each $for$ and $let$
    int variable_count;
    template_scratch *scratch;
    const template_token *token; // the present one, for messages
    int steps;
    sedge_text *made;
    sedge_lines lines;
} template_run;

// A place in an expression.
typedef struct template_reader {
    template_run *run;
    const char *at;
    const char *end;
    bool live; // evaluate; else only check names and grammar
    int depth;
} template_reader;

// Set the message, with pattern, line and directive before it.
__attribute__((format(printf, 2, 3))) void template_explain(const template_run *run,
                                                            const char *format, ...);
#define TEMPLATE_FAIL(run, ...) (template_explain((run), __VA_ARGS__), SEDGE_ERR_USAGE)

template_reader template_read(template_run *run, bool live);

// Skip `word` and return true if it comes next. A `word` of letters matches whole words only.
bool template_accept(template_reader *reader, const char *word);
SEDGE_MUST_USE
sedge_status template_expect(template_reader *reader, const char *word);
SEDGE_MUST_USE
sedge_status template_expect_end(template_reader *reader);

// Whether the name of `length` bytes is a word of the language.
bool template_is_word(const char *name, size_t length);

// A name that is no word of the language.
SEDGE_MUST_USE
sedge_status template_read_name(template_reader *reader, const char **name, size_t *length);

// Read and evaluate an expression; the second function requires an integer. If the reader is not
// live, the value is 0.
SEDGE_MUST_USE
sedge_status template_read_value(template_reader *reader, template_value *out);
SEDGE_MUST_USE
sedge_status template_read_integer(template_reader *reader, int64_t *out);

template_variable *template_find_variable(template_run *run, const char *name, size_t length);
void template_clear_scratch(template_run *run);
