#include "codegen/tree.h"

#include "base/memory.h"
#include "codegen/pattern_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS     100
#define INDENT      4
#define CHUNK_BYTES 8192

typedef enum node_kind {
    NODE_MODULE,
    NODE_KERNEL,
    NODE_FUNCTION,
    NODE_COMMENT,
    NODE_DIRECTIVE,
    NODE_STATEMENT,
    NODE_BLOCK,
    NODE_IF,
    NODE_ELSE_IF,
    NODE_ELSE
} node_kind;

struct sedge_node {
    sedge_tree *tree;
    sedge_node *parent;
    node_kind kind;
    const char *text;        // of a statement without its ';', head of a block
    const char *list;        // of a kernel, the macro's name
    const char **parameters; // of a kernel, [count]: "const float *, x"
    int count;
    sedge_node *first, *last, *next;
};

// Memory of a tree.
typedef struct tree_chunk {
    struct tree_chunk *next;
    size_t used, size;
    unsigned char bytes[];
} tree_chunk;

struct sedge_tree {
    const char *name;
    tree_chunk *chunks;
    sedge_status status; // of building
    char message[256];
    sedge_node module;
    sedge_node lost; // takes what is added after a failure; never printed
};

// ---- memory and failures -----------------------------------------------------------------------

// The first failure stays.
__attribute__((format(printf, 3, 4))) static void fail(sedge_tree *tree, sedge_status status,
                                                       const char *format, ...)
{
    va_list args;

    if (tree->status != SEDGE_OK) return;
    tree->status = status;
    va_start(args, format);
    (void)vsnprintf(tree->message, sizeof tree->message, format, args);
    va_end(args);
}

// Zeroed memory that lives as long as the tree; NULL, and the tree has failed.
static void *take(sedge_tree *tree, size_t bytes)
{
    const size_t padded = (bytes + 15) / 16 * 16;
    tree_chunk *chunk = tree->chunks;

    if (chunk == NULL || chunk->size - chunk->used < padded) {
        const size_t size = padded > CHUNK_BYTES ? padded : CHUNK_BYTES;
        if (sedge_allocate(&chunk, (int64_t)(sizeof *chunk + size), 1) != SEDGE_OK) {
            fail(tree, SEDGE_ERR_MEMORY, "%s", sedge_error_message());
            return NULL;
        }
        chunk->size = size;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    void *const memory = chunk->bytes + chunk->used;
    chunk->used += padded;
    return memory;
}

// One line of formatted text; NULL, and the tree has failed.
__attribute__((format(printf, 2, 0))) static const char *
format_text(sedge_tree *tree, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *const text = length < 0 ? NULL : take(tree, (size_t)length + 1);
    if (text != NULL) (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (length < 0) fail(tree, SEDGE_ERR_USAGE, "the format '%s' cannot be printed", format);
    if (text == NULL) return NULL;
    if (strchr(text, '\n') != NULL) {
        fail(tree, SEDGE_ERR_USAGE, "'%.80s' has more than one line", text);
        return NULL;
    }
    return text;
}

__attribute__((format(printf, 2, 3))) static const char *print_text(sedge_tree *tree,
                                                                    const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const char *const text = format_text(tree, format, args);
    va_end(args);
    return text;
}

sedge_status sedge_tree_create(sedge_tree **out, const char *name)
{
    sedge_tree *tree = NULL;

    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    tree = *out;
    tree->module = (sedge_node){.tree = tree, .kind = NODE_MODULE};
    tree->lost = (sedge_node){.tree = tree, .kind = NODE_BLOCK};
    tree->name = print_text(tree, "%s", name);
    return SEDGE_OK;
}

void sedge_tree_free(sedge_tree *tree)
{
    if (tree == NULL) return;
    while (tree->chunks != NULL) {
        tree_chunk *const next = tree->chunks->next;
        sedge_release(tree->chunks);
        tree->chunks = next;
    }
    sedge_release(tree);
}

sedge_node *sedge_tree_module(sedge_tree *tree)
{
    return &tree->module;
}

// ---- nodes -------------------------------------------------------------------------------------

// The new last child of `parent`. `text` NULL: the tree has failed.
static sedge_node *add_node(sedge_node *parent, node_kind kind, const char *text)
{
    sedge_tree *const tree = parent->tree;
    sedge_node *const node =
        text != NULL && tree->status == SEDGE_OK ? take(tree, sizeof *node) : NULL;

    if (node == NULL) return &tree->lost;
    *node = (sedge_node){.tree = tree, .parent = parent, .kind = kind, .text = text};
    if (parent->last != NULL) parent->last->next = node;
    if (parent->last == NULL) parent->first = node;
    parent->last = node;
    return node;
}

// A statement or the head of a block has text, and its own end is not in it.
static const char *check_code(sedge_tree *tree, const char *text)
{
    const size_t length = text != NULL ? strlen(text) : 0;

    if (text == NULL) return NULL;
    if (strspn(text, " \t") == length) {
        fail(tree, SEDGE_ERR_USAGE, "a statement or head is empty");
        return NULL;
    }
    if (strchr(";{\\", text[length - 1]) != NULL) {
        fail(tree, SEDGE_ERR_USAGE, "'%.80s' ends in '%c'", text, text[length - 1]);
        return NULL;
    }
    return text;
}

static bool check_name(sedge_tree *tree, const char *name)
{
    size_t length = 0;

    while (sedge_is_name_part(name[length])) length++;
    if (sedge_is_name_start(*name) && name[length] == '\0') return true;
    fail(tree, SEDGE_ERR_USAGE, "'%.80s' is not a name", name);
    return false;
}

static bool check_module(sedge_node *module, const char *name, int count)
{
    sedge_tree *const tree = module->tree;

    if (module->kind != NODE_MODULE) {
        fail(tree, SEDGE_ERR_USAGE,
             "'%.80s' stands inside another: functions and kernels stand "
             "in the module",
             name);
        return false;
    }
    if (count < 0) {
        fail(tree, SEDGE_ERR_USAGE, "'%.80s' has %d parameters", name, count);
        return false;
    }
    return check_name(tree, name);
}

// ---- in the module -----------------------------------------------------------------------------

static const char *kernel_list_name(sedge_tree *tree, const char *name)
{
    const size_t length = strlen(name);
    char *const list = take(tree, length + sizeof "_PARAMETERS");

    if (list == NULL) return NULL;
    for (size_t i = 0; i < length; i++) list[i] = (char)toupper((unsigned char)name[i]);
    memcpy(list + length, "_PARAMETERS", sizeof "_PARAMETERS");
    return list;
}

static bool check_list_name(sedge_node *module, const char *name, const char *list)
{
    for (const sedge_node *node = module->first; node != NULL; node = node->next) {
        if (node->kind != NODE_KERNEL || strcmp(node->list, list) != 0) continue;
        fail(module->tree, SEDGE_ERR_USAGE, "there are two kernels '%.80s'", name);
        return false;
    }
    return true;
}

sedge_node *sedge_tree_kernel(sedge_node *module, const char *name, int threads,
                              const sedge_tree_parameter *parameters, int count)
{
    sedge_tree *const tree = module->tree;

    if (!check_module(module, name, count)) return &tree->lost;
    if (threads < 1) fail(tree, SEDGE_ERR_USAGE, "'%.80s' has %d threads", name, threads);
    const char *const list = kernel_list_name(tree, name);
    const char **const entries = take(tree, ((size_t)count + 1) * sizeof *entries);
    if (list == NULL || entries == NULL || !check_list_name(module, name, list)) return &tree->lost;
    for (int i = 0; i < count; i++) {
        if (!check_name(tree, parameters[i].name)) return &tree->lost;
        entries[i] = print_text(tree, "X(%s, %s)", parameters[i].type, parameters[i].name);
    }
    sedge_node *const node = add_node(
        module, NODE_KERNEL, print_text(tree, "SEDGE_KERNEL(%s, %d, %s)", name, threads, list));
    if (node == &tree->lost) return node;
    node->list = list;
    node->parameters = entries;
    node->count = count;
    return node;
}

// `type` and `name` as in a declaration: no blank behind a star.
static const char *declaration(sedge_tree *tree, const char *type, const char *name)
{
    const size_t length = strlen(type);
    const char *const gap = length > 0 && type[length - 1] == '*' ? "" : " ";

    return print_text(tree, "%s%s%s", type, gap, name);
}

sedge_node *sedge_tree_function(sedge_node *module, const char *type, const char *name,
                                const sedge_tree_parameter *parameters, int count)
{
    sedge_tree *const tree = module->tree;

    if (!check_module(module, name, count)) return &tree->lost;
    const char *text = declaration(tree, type, name);
    if (text != NULL)
        text = print_text(tree, "SEDGE_FUNCTION %s(%s", text, count == 0 ? "void" : "");
    for (int i = 0; i < count && text != NULL; i++) {
        if (!check_name(tree, parameters[i].name)) return &tree->lost;
        const char *const one = declaration(tree, parameters[i].type, parameters[i].name);
        if (one == NULL) return &tree->lost;
        text = print_text(tree, "%s%s%s", text, i > 0 ? ", " : "", one);
    }
    if (text != NULL) text = print_text(tree, "%s)", text);
    return add_node(module, NODE_FUNCTION, text);
}

// ---- lines -------------------------------------------------------------------------------------

// The text that a variadic function was given, into `text`.
#define FORMAT_TEXT(text, tree, format)                      \
    do {                                                     \
        va_list format_args;                                 \
        va_start(format_args, format);                       \
        (text) = format_text((tree), (format), format_args); \
        va_end(format_args);                                 \
    } while (0)

void sedge_tree_comment(sedge_node *block, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, block->tree, format);
    if (text != NULL && strchr(text, '\\') != NULL) {
        fail(block->tree, SEDGE_ERR_USAGE,
             "the comment '%.80s' holds a backslash, which may join lines", text);
        return;
    }
    (void)add_node(block, NODE_COMMENT, text);
}

void sedge_tree_directive(sedge_node *block, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, block->tree, format);
    if (text != NULL && *text != '#') {
        fail(block->tree, SEDGE_ERR_USAGE, "'%.80s' does not begin with '#'", text);
        return;
    }
    (void)add_node(block, NODE_DIRECTIVE, check_code(block->tree, text));
}

void sedge_tree_statement(sedge_node *block, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, block->tree, format);
    (void)add_node(block, NODE_STATEMENT, check_code(block->tree, text));
}

void sedge_tree_declare(sedge_node *block, const char *type, const char *name)
{
    (void)add_node(block, NODE_STATEMENT,
                   check_code(block->tree, declaration(block->tree, type, name)));
}

// `left operation right`, once both are known to be whole.
static void add_pair(sedge_node *block, const char *left, const char *operation, const char *right)
{
    sedge_tree *const tree = block->tree;

    if (check_code(tree, left) == NULL || check_code(tree, right) == NULL) return;
    (void)add_node(block, NODE_STATEMENT, print_text(tree, "%s %s %s", left, operation, right));
}

void sedge_tree_define(sedge_node *block, const char *type, const char *name, const char *format,
                       ...)
{
    const char *value;

    FORMAT_TEXT(value, block->tree, format);
    add_pair(block, declaration(block->tree, type, name), "=", value);
}

void sedge_tree_assign(sedge_node *block, const char *target, const char *operation,
                       const char *format, ...)
{
    static const char *const operations[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    const char *value;
    bool known = false;

    FORMAT_TEXT(value, block->tree, format);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operation, operations[i]) == 0) known = true;
    if (!known) {
        fail(block->tree, SEDGE_ERR_USAGE, "'%.80s' is no assignment: '=', '+=', ...", operation);
        return;
    }
    add_pair(block, print_text(block->tree, "%s", target), operation, value);
}

// ---- blocks ------------------------------------------------------------------------------------

sedge_node *sedge_tree_block(sedge_node *block, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, block->tree, format);
    return add_node(block, NODE_BLOCK, check_code(block->tree, text));
}

sedge_node *sedge_tree_scope(sedge_node *block)
{
    return add_node(block, NODE_BLOCK, "");
}

sedge_node *sedge_tree_for(sedge_node *block, const char *name, const char *from, const char *to)
{
    sedge_tree *const tree = block->tree;

    if (!check_name(tree, name)) return &tree->lost;
    return add_node(
        block, NODE_BLOCK,
        print_text(tree, "for (int %s = %s; %s < %s; %s++)", name, from, name, to, name));
}

sedge_node *sedge_tree_if(sedge_node *block, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, block->tree, format);
    return add_node(block, NODE_IF, check_code(block->tree, text));
}

static sedge_node *add_branch(sedge_node *branch, node_kind kind, const char *text)
{
    sedge_tree *const tree = branch->tree;

    if (branch == &tree->lost || text == NULL) return &tree->lost;
    if (branch->kind != NODE_IF && branch->kind != NODE_ELSE_IF) {
        fail(tree, SEDGE_ERR_USAGE, "an else does not belong to an if");
        return &tree->lost;
    }
    if (branch->parent->last != branch) {
        fail(tree, SEDGE_ERR_USAGE, "an else does not follow its 'if (%.80s)'", branch->text);
        return &tree->lost;
    }
    return add_node(branch->parent, kind, text);
}

sedge_node *sedge_tree_else_if(sedge_node *branch, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, branch->tree, format);
    return add_branch(branch, NODE_ELSE_IF, check_code(branch->tree, text));
}

sedge_node *sedge_tree_else(sedge_node *branch)
{
    return add_branch(branch, NODE_ELSE, "");
}

// ---- expressions -------------------------------------------------------------------------------

const char *sedge_tree_text(sedge_tree *tree, const char *format, ...)
{
    const char *text;

    FORMAT_TEXT(text, tree, format);
    return text != NULL ? text : "";
}

static const char *constant(sedge_tree *tree, sedge_binding_kind kind, double value)
{
    const char *kept = NULL;
    sedge_text *text = NULL;

    if (sedge_text_create(&text) == SEDGE_OK &&
        sedge_constant_write(text, kind, value) == SEDGE_OK) {
        kept = print_text(tree, "%s", sedge_text_get(text));
    } else {
        fail(tree, text == NULL ? SEDGE_ERR_MEMORY : SEDGE_ERR_USAGE, "%s", sedge_error_message());
    }
    sedge_text_free(text);
    return kept != NULL ? kept : "";
}

const char *sedge_tree_float(sedge_tree *tree, float value)
{
    return constant(tree, SEDGE_BINDING_FLOAT, (double)value);
}

const char *sedge_tree_double(sedge_tree *tree, double value)
{
    return constant(tree, SEDGE_BINDING_DOUBLE, value);
}

// ---- printing ----------------------------------------------------------------------------------

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

static sedge_status print_children(sedge_text *out, int level, const sedge_node *node);

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
