#include "text/tree.h"

#include "base/memory.h"
#include "text/bindings.h"
#include "text/lines.h"
#include "text/tree_node.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES 8192

struct tree_chunk {
    struct tree_chunk *next;
    size_t used, size;
    unsigned char bytes[];
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
