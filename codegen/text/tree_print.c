#include "text/tree.h"

#include "text/bindings.h"
#include "text/lines.h"
#include "text/tree_node.h"

#include <string.h>

#define COLUMNS 100
#define INDENT  4

// ---- lines -------------------------------------------------------------------------------------

// How many bytes of `text` go into a line of `room`: up to the last blank outside quotes, or the
// first one when that is too far.
static size_t fitting(const char *text, size_t room)
{
    char quote = '\0';
    size_t best = 0;
    size_t i;

    if (strlen(text) <= room) return strlen(text);
    for (i = 0; text[i] != '\0'; i++) {
        if (i > room && best > 0) return best;
        if (quote != '\0' && text[i] == '\\' && text[i + 1] != '\0') {
            i++;
        } else if (quote != '\0' && text[i] == quote) {
            quote = '\0';
        } else if (quote == '\0' && (text[i] == '"' || text[i] == '\'')) {
            quote = text[i];
        } else if (quote == '\0' && text[i] == ' ' && i > 0) {
            best = i;
        }
    }
    return best > 0 ? best : i;
}

// `text`, broken at the line's end: the rest further in.
static sedge_status print_code(sedge_text *out, int level, const char *text)
{
    size_t indent = (size_t)level * INDENT;

    for (bool first = true; first || *text != '\0'; first = false) {
        const size_t part = fitting(text, indent < COLUMNS / 2 ? COLUMNS - indent : COLUMNS / 2);
        SEDGE_TRY(sedge_text_add(out, "%*s%.*s\n", (int)indent, "", (int)part, text));
        text += part;
        text += strspn(text, " ");
        if (first) indent += INDENT;
    }
    return SEDGE_OK;
}

static sedge_status print_comment(sedge_text *out, int level, const char *text)
{
    const size_t indent = (size_t)level * INDENT;
    const size_t room = indent < COLUMNS / 2 ? COLUMNS - indent - 3 : COLUMNS / 2;

    do {
        size_t part = strlen(text);
        if (part > room) {
            part = room;
            while (part > 0 && text[part] != ' ') part--;
            if (part == 0) part = strcspn(text, " ");
        }
        SEDGE_TRY(sedge_text_add(out, "%*s// %.*s\n", (int)indent, "", (int)part, text));
        text += part;
        text += strspn(text, " ");
    } while (*text != '\0');
    return SEDGE_OK;
}

// `#define NAME_PARAMETERS(X)` and a row for each parameter, the backslashes in one column.
static sedge_status print_list(sedge_text *out, const sedge_node *kernel)
{
    int width = (int)strlen(kernel->list) + (int)strlen("#define (X)");

    for (int i = 0; i < kernel->count - 1; i++) {
        const int length = INDENT + (int)strlen(kernel->parameters[i]);
        width = length > width ? length : width;
    }
    if (kernel->count == 0) return sedge_text_add(out, "#define %s(X)\n", kernel->list);
    SEDGE_TRY(sedge_text_add(out, "#define %s(X)%*s \\\n", kernel->list,
                             width - (int)strlen(kernel->list) - (int)strlen("#define (X)"), ""));
    for (int i = 0; i < kernel->count; i++) {
        const char *const row = kernel->parameters[i];
        SEDGE_TRY(sedge_text_add(out, "%*s%s", INDENT, "", row));
        if (i < kernel->count - 1)
            SEDGE_TRY(sedge_text_add(out, "%*s \\", width - INDENT - (int)strlen(row), ""));
        SEDGE_TRY(sedge_text_add(out, "\n"));
    }
    return SEDGE_OK;
}

// A line made of three parts, then broken where it is too long.
static sedge_status print_parts(sedge_text *out, int level, const char *before, const char *text,
                                const char *after)
{
    sedge_status status;
    sedge_text *line = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&line));
    SEDGE_TRY_GOTO(status, sedge_text_add(line, "%s%s%s", before, text, after));
    SEDGE_TRY_GOTO(status, print_code(out, level, sedge_text_get(line)));
done:
    sedge_text_free(line);
    return status;
}

// ---- nodes -------------------------------------------------------------------------------------

static sedge_status print_children(sedge_text *out, int level, const sedge_node *node);

static bool is_branch(const sedge_node *node)
{
    return node != NULL && (node->kind == NODE_ELSE_IF || node->kind == NODE_ELSE);
}

static sedge_status print_head(sedge_text *out, int level, const sedge_node *node)
{
    switch (node->kind) {
    case NODE_IF:
        return print_parts(out, level, "if (", node->text, ") {");
    case NODE_ELSE_IF:
        return print_parts(out, level, "} else if (", node->text, ") {");
    case NODE_ELSE:
        return print_code(out, level, "} else {");
    case NODE_MODULE:
    case NODE_KERNEL:
    case NODE_FUNCTION:
    case NODE_COMMENT:
    case NODE_DIRECTIVE:
    case NODE_STATEMENT:
    case NODE_BLOCK:
        break;
    }
    return print_parts(out, level, "", node->text, *node->text != '\0' ? " {" : "{");
}

static sedge_status print_block(sedge_text *out, int level, const sedge_node *node)
{
    SEDGE_TRY(print_head(out, level, node));
    SEDGE_TRY(print_children(out, level + 1, node));
    return is_branch(node->next) ? SEDGE_OK : print_code(out, level, "}");
}

static sedge_status print_function(sedge_text *out, const sedge_node *node)
{
    if (node->kind == NODE_KERNEL) SEDGE_TRY(print_list(out, node));
    SEDGE_TRY(print_code(out, 0, node->text));
    SEDGE_TRY(sedge_text_add(out, "{\n"));
    SEDGE_TRY(print_children(out, 1, node));
    return sedge_text_add(out, "}\n");
}

static sedge_status print_node(sedge_text *out, int level, const sedge_node *node)
{
    switch (node->kind) {
    case NODE_COMMENT:
        return print_comment(out, level, node->text);
    case NODE_DIRECTIVE:
        return sedge_text_add(out, "%s\n", node->text);
    case NODE_STATEMENT:
        return print_parts(out, level, "", node->text, ";");
    case NODE_KERNEL:
    case NODE_FUNCTION:
        return print_function(out, node);
    case NODE_MODULE:
        return print_children(out, level, node);
    case NODE_BLOCK:
    case NODE_IF:
    case NODE_ELSE_IF:
    case NODE_ELSE:
        break;
    }
    return print_block(out, level, node);
}

// Functions and what stands around them are apart by an empty line; a comment belongs to what
// follows.
static bool needs_gap(const sedge_node *before, const sedge_node *node)
{
    if (before == NULL) return false;
    if (before->kind == NODE_KERNEL || before->kind == NODE_FUNCTION) return true;
    return (node->kind == NODE_KERNEL || node->kind == NODE_FUNCTION) &&
           before->kind != NODE_COMMENT && before->kind != NODE_DIRECTIVE;
}

static sedge_status print_children(sedge_text *out, int level, const sedge_node *node)
{
    const sedge_node *before = NULL;

    for (const sedge_node *child = node->first; child != NULL; child = child->next) {
        if (needs_gap(before, child)) SEDGE_TRY(sedge_text_add(out, "\n"));
        SEDGE_TRY(print_node(out, level, child));
        before = child;
    }
    return SEDGE_OK;
}

sedge_status sedge_tree_write(sedge_text *out, const sedge_tree *tree)
{
    sedge_status status;
    sedge_text *made = NULL;

    if (tree->status != SEDGE_OK) {
        return SEDGE_FAIL(tree->status, "tree '%s': %s", tree->name != NULL ? tree->name : "",
                          tree->message);
    }
    SEDGE_TRY_GOTO(status, sedge_text_create(&made));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add(made, "%sthe tree '%s'\n", SEDGE_ORIGIN_START, tree->name));
    SEDGE_TRY_GOTO(status, print_children(made, 0, &tree->module));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add_bytes(out, sedge_text_get(made), sedge_text_length(made)));
done:
    sedge_text_free(made);
    return status;
}
