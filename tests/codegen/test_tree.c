// Syntax trees: how they are printed, what they refuse and when it is said.
#include "text/tree.h"
#include "text_kit.h"

#include <float.h>
#include <math.h>

static sedge_tree *new_tree(void)
{
    sedge_tree *tree = NULL;

    CHECK_OK(sedge_tree_create(&tree, "a test"));
    return tree;
}

// The tree's text is `wanted` behind its first line. Frees it.
static void prints(sedge_tree *tree, const char *wanted, int line)
{
    static const char first[] = "// Made from the tree 'a test'\n";
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    const sedge_status status = sedge_tree_write(text, tree);
    const char *const got = sedge_text_get(text);
    if (status != SEDGE_OK || strncmp(got, first, strlen(first)) != 0 ||
        strcmp(got + strlen(first), wanted) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: wanted:\n%s\ngot:\n%s\n", __FILE__, line, wanted,
                      status == SEDGE_OK ? got : sedge_error_message());
    }
    sedge_text_free(text);
    sedge_tree_free(tree);
}

// Building failed for the reason `message`; nothing is printed. Frees the tree.
static void fails(sedge_tree *tree, const char *message, int line)
{
    sedge_text *text = NULL;
    char wanted[256];

    // What is added after the failure goes nowhere and does no harm.
    sedge_node *const lost = sedge_tree_block(sedge_tree_module(tree), "while (1)");
    sedge_tree_statement(sedge_tree_else(sedge_tree_if(lost, "x")), "x = %d", 1);
    sedge_tree_define(lost, "int", "y", "%s", sedge_tree_double(tree, 1.0));
    sedge_tree_assign(lost, "y", "+=", "%s", sedge_tree_text(tree, "%d", 3));
    (void)sedge_tree_kernel(sedge_tree_module(tree), "late", 64, NULL, 0);
    (void)snprintf(wanted, sizeof wanted, "tree 'a test': %s", message);
    CHECK_OK(sedge_text_create(&text));
    const sedge_status status = sedge_tree_write(text, tree);
    if (status != SEDGE_ERR_USAGE || strncmp(sedge_error_message(), wanted, strlen(wanted)) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: wanted '%s', got '%s'\n", __FILE__, line, wanted,
                      status == SEDGE_OK ? sedge_text_get(text) : sedge_error_message());
    }
    CHECK(sedge_text_length(text) == 0);
    sedge_text_free(text);
    sedge_tree_free(tree);
}

static void test_statements(void)
{
    sedge_tree *const tree = new_tree();
    sedge_node *const module = sedge_tree_module(tree);

    sedge_tree_comment(module, "Table of %d.", 2);
    sedge_tree_define(module, "static const int", "table[2]", "{1, 2}");
    sedge_node *const f = sedge_tree_function(
        module, "float *", "f", (sedge_tree_parameter[]){{"float *", "a"}, {"const int", "n"}}, 2);
    sedge_tree_declare(f, "int", "i");
    sedge_tree_assign(f, "i", "=", "n + %d", 1);
    sedge_tree_assign(f, "a[i]", "*=", "%s", sedge_tree_float(tree, -1.5f));
    sedge_tree_statement(f, "return a");
    (void)sedge_tree_function(module, "void", "g", NULL, 0);
    prints(tree,
           "// Table of 2.\n"
           "static const int table[2] = {1, 2};\n"
           "\n"
           "SEDGE_FUNCTION float *f(float *a, const int n)\n"
           "{\n"
           "    int i;\n"
           "    i = n + 1;\n"
           "    a[i] *= (-0x1.8p+0f);\n"
           "    return a;\n"
           "}\n"
           "\n"
           "SEDGE_FUNCTION void g(void)\n"
           "{\n"
           "}\n",
           __LINE__);
}

static void test_blocks(void)
{
    sedge_tree *const tree = new_tree();
    sedge_node *const module = sedge_tree_module(tree);
    sedge_node *const outer = sedge_tree_block(module, "SEDGE_OUTER (b)");
    sedge_node *const loop = sedge_tree_for(outer, "i", "0", sedge_tree_text(tree, "%d", 4));
    sedge_node *const first = sedge_tree_if(loop, "i < %d", 2);
    sedge_node *const second = sedge_tree_else_if(first, "i == %d", 3);
    sedge_node *const other = sedge_tree_else(second);

    sedge_tree_statement(first, "a()");
    sedge_tree_statement(second, "b()");
    sedge_tree_statement(other, "c()");
    sedge_tree_statement(sedge_tree_scope(loop), "d()");
    sedge_tree_directive(outer, "#if SEDGE_TARGET_CUDA");
    sedge_tree_comment(outer, "On cuda.");
    sedge_tree_directive(outer, "#endif");
    prints(tree,
           "SEDGE_OUTER (b) {\n"
           "    for (int i = 0; i < 4; i++) {\n"
           "        if (i < 2) {\n"
           "            a();\n"
           "        } else if (i == 3) {\n"
           "            b();\n"
           "        } else {\n"
           "            c();\n"
           "        }\n"
           "        {\n"
           "            d();\n"
           "        }\n"
           "    }\n"
           "#if SEDGE_TARGET_CUDA\n"
           "    // On cuda.\n"
           "#endif\n"
           "}\n",
           __LINE__);
}

static void test_kernels(void)
{
    sedge_tree *const tree = new_tree();
    sedge_node *const module = sedge_tree_module(tree);
    const sedge_tree_parameter list[] = {{"const SEDGE_GLOBAL float *", "x"}, {"int", "n"}};

    (void)sedge_tree_kernel(module, "one", 64, list, 2);
    (void)sedge_tree_kernel(module, "none", 128, NULL, 0);
    prints(tree,
           "#define ONE_PARAMETERS(X)            \\\n"
           "    X(const SEDGE_GLOBAL float *, x) \\\n"
           "    X(int, n)\n"
           "SEDGE_KERNEL(one, 64, ONE_PARAMETERS)\n"
           "{\n"
           "}\n"
           "\n"
           "#define NONE_PARAMETERS(X)\n"
           "SEDGE_KERNEL(none, 128, NONE_PARAMETERS)\n"
           "{\n"
           "}\n",
           __LINE__);
}

// No line is wider than 100 columns where there is a blank to break it at, and texts in quotes stay
// whole. Without the white space, nothing is lost.
static void test_long_lines(void)
{
    sedge_tree *const tree = new_tree();
    sedge_node *block = sedge_tree_module(tree);
    const char *sum = "start";
    sedge_text *text = NULL;

    for (int i = 0; i < 40; i++) sum = sedge_tree_text(tree, "%s + x%d[i] * \"a b c d\"", sum, i);
    for (int i = 0; i < 10; i++) block = sedge_tree_scope(block);
    sedge_tree_assign(block, "y", "=", "%s", sum);
    sedge_tree_comment(block, "%s", sum);
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_tree_write(text, tree));
    int commented = 0, coded = 0;
    for (const char *at = sedge_text_get(text); *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        int quotes = 0;
        CHECK(length <= 100);
        for (size_t i = 0; i < length; i++) quotes += at[i] == '"';
        const bool is_comment = strncmp(at + strspn(at, " "), "// ", 3) == 0;
        CHECK(is_comment || quotes % 2 == 0);
        if (is_comment) commented += quotes;
        if (!is_comment) coded += quotes;
        at += length + 1;
    }
    CHECK(coded == 80 && commented == 80);
    sedge_text_free(text);
    sedge_tree_free(tree);
}

static void test_golden(void)
{
    sedge_tree *const tree = new_tree();
    sedge_node *const module = sedge_tree_module(tree);
    const sedge_tree_parameter list[] = {
        {"const SEDGE_GLOBAL double *", "x"}, {"SEDGE_GLOBAL double *", "y"}, {"int", "count"}};

    sedge_tree_comment(module,
                       "Sum of the squares of the items of each block, by halves: a comment "
                       "that is longer than one line of text.");
    sedge_node *const kernel = sedge_tree_kernel(module, "squares", 64, list, 3);
    sedge_node *const outer = sedge_tree_block(kernel, "SEDGE_OUTER (b)");
    sedge_tree_statement(outer, "SEDGE_SHARED(double, part, 64)");
    sedge_node *const load = sedge_tree_block(outer, "SEDGE_ITEMS (g, 1, n, 64, 64)");
    sedge_tree_define(load, "const sedge_int64", "i", "b * 64 + n");
    sedge_tree_assign(load, "part[n]", "=", "i < count ? x[i] * x[i] : 0.0");
    for (int half = 32; half > 0; half /= 2) {
        sedge_tree_statement(outer, "SEDGE_BARRIER()");
        sedge_node *const items = sedge_tree_block(outer, "SEDGE_ITEMS (g, 1, n, 64, 64)");
        sedge_node *const active = sedge_tree_if(items, "n < %d", half);
        sedge_tree_assign(active, "part[n]", "+=", "part[n + %d]", half);
        if (half > 1) continue;
        sedge_node *const store = sedge_tree_if(items, "n == 0");
        sedge_tree_assign(store, "y[b]", "=", "part[0]");
    }
    sedge_text *text = NULL;
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_tree_write(text, tree));
    check_golden("tree_squares.txt", sedge_text_get(text));
    sedge_text_free(text);
    sedge_tree_free(tree);
}

static void test_refused_text(void)
{
    sedge_tree *tree = new_tree();

    sedge_tree_statement(sedge_tree_module(tree), "x = %d;", 1);
    fails(tree, "'x = 1;' ends in ';'", __LINE__);
    tree = new_tree();
    sedge_tree_statement(sedge_tree_module(tree), "  %s", "");
    fails(tree, "a statement or head is empty", __LINE__);
    tree = new_tree();
    sedge_tree_statement(sedge_tree_module(tree), "a%sb", "\n");
    fails(tree, "'a\nb' has more than one line", __LINE__);
    tree = new_tree();
    (void)sedge_tree_block(sedge_tree_module(tree), "while (1) {");
    fails(tree, "'while (1) {' ends in '{'", __LINE__);
    tree = new_tree();
    sedge_tree_comment(sedge_tree_module(tree), "one \\");
    fails(tree, "the comment 'one \\' holds a backslash", __LINE__);
    tree = new_tree();
    sedge_tree_directive(sedge_tree_module(tree), "define X");
    fails(tree, "'define X' does not begin with '#'", __LINE__);
    tree = new_tree();
    sedge_tree_assign(sedge_tree_module(tree), "x", "==", "%d", 1);
    fails(tree, "'==' is no assignment", __LINE__);
    tree = new_tree();
    sedge_tree_define(sedge_tree_module(tree), "int", "x", "%s", "");
    fails(tree, "a statement or head is empty", __LINE__);
    tree = new_tree();
    (void)sedge_tree_double(tree, (double)INFINITY);
    fails(tree, "inf is not a finite number", __LINE__);
    tree = new_tree();
    CHECK(*sedge_tree_float(tree, NAN) == '\0');
    fails(tree, "nan is not a finite number", __LINE__);
    // The first failure stays.
    tree = new_tree();
    sedge_tree_statement(sedge_tree_module(tree), "first;");
    sedge_tree_statement(sedge_tree_module(tree), "second;");
    fails(tree, "'first;'", __LINE__);
}

static void test_refused_shape(void)
{
    const sedge_tree_parameter bad = {"int", "2x"};
    sedge_tree *tree = new_tree();

    (void)sedge_tree_kernel(sedge_tree_module(tree), "a b", 64, NULL, 0);
    fails(tree, "'a b' is not a name", __LINE__);
    tree = new_tree();
    (void)sedge_tree_kernel(sedge_tree_module(tree), "k", 0, NULL, 0);
    fails(tree, "'k' has 0 threads", __LINE__);
    tree = new_tree();
    (void)sedge_tree_kernel(sedge_tree_module(tree), "k", 64, &bad, 1);
    fails(tree, "'2x' is not a name", __LINE__);
    tree = new_tree();
    (void)sedge_tree_function(sedge_tree_module(tree), "void", "k", &bad, -1);
    fails(tree, "'k' has -1 parameters", __LINE__);
    tree = new_tree();
    (void)sedge_tree_function(sedge_tree_module(tree), "void", "k", &bad, 1);
    fails(tree, "'2x' is not a name", __LINE__);
    tree = new_tree();
    (void)sedge_tree_kernel(sedge_tree_module(tree), "k", 64, NULL, 0);
    (void)sedge_tree_kernel(sedge_tree_module(tree), "K", 64, NULL, 0);
    fails(tree, "there are two kernels 'K'", __LINE__);
    tree = new_tree();
    (void)sedge_tree_function(sedge_tree_scope(sedge_tree_module(tree)), "void", "f", NULL, 0);
    fails(tree, "'f' stands inside another", __LINE__);
    tree = new_tree();
    (void)sedge_tree_for(sedge_tree_module(tree), "i + 1", "0", "1");
    fails(tree, "'i + 1' is not a name", __LINE__);
    tree = new_tree();
    (void)sedge_tree_else(sedge_tree_scope(sedge_tree_module(tree)));
    fails(tree, "an else does not belong to an if", __LINE__);
    tree = new_tree();
    sedge_node *branch = sedge_tree_if(sedge_tree_module(tree), "a");
    (void)sedge_tree_else(sedge_tree_else(branch));
    fails(tree, "an else does not belong to an if", __LINE__);
    tree = new_tree();
    branch = sedge_tree_if(sedge_tree_module(tree), "a");
    sedge_tree_statement(sedge_tree_module(tree), "x");
    (void)sedge_tree_else_if(branch, "b");
    fails(tree, "an else does not follow its 'if (a)'", __LINE__);
    sedge_tree_free(NULL);
}

// Random calls on random nodes: printed or refused, with as many opening as closing braces.
static void test_random_calls(void)
{
    unsigned seed = 7;

    for (int round = 0; round < 400; round++) {
        sedge_tree *const tree = new_tree();
        sedge_node *nodes[64] = {sedge_tree_module(tree)};
        int count = 1;
        sedge_text *text = NULL;
        while (count < 64) {
            sedge_node *const at = nodes[text_random(&seed) % (unsigned)count];
            const char *const word = text_random(&seed) % 97 == 0 ? "2;" : "x";
            sedge_tree_statement(at, "%s", word);
            sedge_tree_comment(at, "%s", word);
            const unsigned kind = text_random(&seed) % 5;
            sedge_node *node = NULL;
            if (kind == 0) node = sedge_tree_for(at, word, "0", "1");
            if (kind == 1) node = sedge_tree_if(at, "%s", word);
            if (kind == 2) node = sedge_tree_scope(at);
            if (kind == 3) node = sedge_tree_else_if(sedge_tree_if(at, "a"), "%s", word);
            if (kind == 4) node = sedge_tree_else(sedge_tree_if(at, "%s", word));
            nodes[count++] = node;
        }
        CHECK_OK(sedge_text_create(&text));
        const sedge_status status = sedge_tree_write(text, tree);
        CHECK(status == SEDGE_OK || status == SEDGE_ERR_USAGE);
        int braces = 0;
        for (const char *c = sedge_text_get(text); *c != '\0'; c++)
            braces += (*c == '{') - (*c == '}');
        CHECK(braces == 0);
        sedge_text_free(text);
        sedge_tree_free(tree);
    }
}

int main(void)
{
    test_statements();
    test_blocks();
    test_kernels();
    test_long_lines();
    test_golden();
    test_refused_text();
    test_refused_shape();
    test_random_calls();
    return CHECK_END();
}
