// `$name$` substitution: what it writes, which lines it keeps, what it refuses.
#define _DEFAULT_SOURCE // setenv
#include "text/substitute.h"
#include "text_kit.h"

#include <math.h>

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static void made(const char *text, const sedge_binding *bindings, int count, const char *wanted,
                 int line)
{
    const sedge_pattern pattern = {
        .name = "axpy.c", .text = text, .bindings = bindings, .count = count};

    check_made(sedge_substitute, &pattern, wanted, line);
}

static void refused(const char *text, const sedge_binding *bindings, int count, const char *message,
                    int line)
{
    const sedge_pattern pattern = {
        .name = "axpy.c", .text = text, .bindings = bindings, .count = count};

    check_refused(sedge_substitute, &pattern, message, line);
}

static void test_values(void)
{
    const sedge_binding all[] = {
        SEDGE_BIND_TEXT("type", "float"),   SEDGE_BIND_INTEGER("n", 42),
        SEDGE_BIND_INTEGER("less", -7),     SEDGE_BIND_INTEGER("least", INT64_MIN),
        SEDGE_BIND_FLOAT("half", 0.5f),     SEDGE_BIND_FLOAT("tenth", 0.1),
        SEDGE_BIND_DOUBLE("pi", 3.0),       SEDGE_BIND_DOUBLE("down", -0.75),
        SEDGE_BIND_DOUBLE("nothing", -0.0), SEDGE_BIND_TEXT("_e2", "")};

    made("$type$ x[$n$] = -$less$ $least$;\n", all, 4,
         "float x[42] = -(-7) (-9223372036854775807 - 1);\n", __LINE__);
    made("$half$ $tenth$ $pi$ $down$ $nothing$[$_e2$]", all + 4, 6,
         "0x1p-1f 0x1.99999ap-4f 0x1.8p+1 (-0x1.8p-1) (-0x0p+0)[]", __LINE__);
    made("", NULL, 0, "", __LINE__);
    made("$$ $$$n$$$\n", all + 1, 1, "$ $42$\n", __LINE__);
    made("$n$$n$", all + 1, 1, "4242", __LINE__);
}

// Constants come back from the text bit by bit.
static void test_exact(void)
{
    const double values[] = {0.1, -1.0 / 3.0, 1e308, 5e-324, 3.14159265358979323846};

    for (int i = 0; i < COUNT(values); i++) {
        sedge_text *text = NULL;
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(sedge_constant_write(text, SEDGE_BINDING_DOUBLE, values[i]));
        const char *const shown = sedge_text_get(text);
        const double back = strtod(shown + (*shown == '('), NULL);
        CHECK(memcmp(&back, &values[i], sizeof back) == 0);
        sedge_text_free(text);
    }
}

// A #line stands where the output leaves the pattern's lines, and nowhere else.
static void test_lines(void)
{
    const sedge_binding values[] = {SEDGE_BIND_TEXT("body", "a;\nb;")};

    made("1\n$body$\n3\n4\n", values, 1, "1\na;\n#line 2\nb;\n3\n4\n", __LINE__);
    made("1\n$body$", values, 1, "1\na;\n#line 2\nb;", __LINE__);
    // Not inside a macro of several lines, parentheses or a comment; then at the next chance.
    made("#define A $body$ \\\n    c\n3\n", values, 1, "#define A a;\n#line 1\nb; \\\n    c\n3\n",
         __LINE__);
    made("#define A c \\\n  $body$ \\\n  d\n4\n", values, 1,
         "#define A c \\\n  a;\n#line 2\nb; \\\n  d\n4\n", __LINE__);
    made("f($body$,\n  2);\n3\n", values, 1, "f(a;\nb;,\n  2);\n#line 3\n3\n", __LINE__);
    made("/* ( $body$ */\n2\n", values, 1, "/* ( a;\nb; */\n#line 2\n2\n", __LINE__);
    made("x = \"(\\\"\" + '(' + '\\\\'; // (\n$body$\n3\n", values, 1,
         "x = \"(\\\"\" + '(' + '\\\\'; // (\na;\n#line 2\nb;\n3\n", __LINE__);
    made("#if A(\n$body$\n3\n", values, 1, "#if A(\na;\n#line 2\nb;\n3\n", __LINE__);
}

static void test_without_lines(void)
{
    const sedge_binding values[] = {SEDGE_BIND_TEXT("body", "a;\nb;"), SEDGE_BIND_DOUBLE("s", 1.5)};
    const sedge_pattern pattern = {.name = "axpy.c",
                                   .text = "$body$\n$s$\n",
                                   .bindings = values,
                                   .count = 2,
                                   .without_lines = true};
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_substitute(text, &pattern));
    CHECK(strcmp(sedge_text_get(text), "// Made from axpy.c with body = 'a;\\nb;', s = 1.5\n"
                                       "a;\nb;\n0x1.8p+0\n") == 0);
    sedge_text_free(text);
}

static void test_refusals(void)
{
    const char *const names[] = {"a"};
    const sedge_binding alpha[] = {SEDGE_BIND_INTEGER("alpha", 1), SEDGE_BIND_INTEGER("beta", 2)};
    const sedge_binding twice[] = {alpha[0], alpha[0]};
    const sedge_binding list[] = {SEDGE_BIND_TEXTS("names", names, 1)};
    const sedge_binding infinite[] = {SEDGE_BIND_DOUBLE("x", (double)INFINITY)};
    const sedge_binding large[] = {SEDGE_BIND_FLOAT("x", 1e300)};
    const sedge_binding unnamed[] = {SEDGE_BIND_INTEGER("2x", 1)};
    const sedge_binding empty[] = {SEDGE_BIND_TEXT("x", NULL)};

    refused("\n\n$alhpa$", alpha, 2, "axpy.c:3: 'alhpa' has no value; did you mean 'alpha'?",
            __LINE__);
    refused("$somewhere$", alpha, 2, "axpy.c:1: 'somewhere' has no value", __LINE__);
    refused("$alpha$", alpha, 2, "axpy.c: the value 'beta' is not used", __LINE__);
    refused("x\n$alpha\n$", alpha, 2, "axpy.c:2: '$alpha' has no second '$' in its line", __LINE__);
    refused("$alpha$ $", alpha, 2, "axpy.c:1: '$' has no second '$'", __LINE__);
    refused("$alpha beta$", alpha, 2, "axpy.c:1: 'alpha beta' is not a name", __LINE__);
    refused("$9$", alpha, 2, "'9' is not a name", __LINE__);
    refused("$alpha$", twice, 2, "axpy.c: 'alpha' has two values", __LINE__);
    refused("$names$", list, 1, "axpy.c: 'names' is a list: only templates", __LINE__);
    refused("$x$", infinite, 1, "axpy.c: 'x' is inf, which is not a finite double", __LINE__);
    refused("$x$", large, 1, "axpy.c: 'x' is 1e+300, which is not a finite float", __LINE__);
    refused("$x$", unnamed, 1, "axpy.c: '2x' is not a name", __LINE__);
    refused("$x$", empty, 1, "axpy.c: the text of 'x' is NULL", __LINE__);
    const sedge_pattern quoted = {.name = "a\"b", .text = ""};
    check_refused(sedge_substitute, &quoted, "holds the character code 34", __LINE__);
    const sedge_pattern missing = {.name = "no_such_file.h"};
    check_refused(sedge_substitute, &missing, "no kernel source 'no_such_file.h'", __LINE__);
}

// A pattern without text is the file of its name.
static void test_file(void)
{
    const sedge_binding values[] = {SEDGE_BIND_INTEGER("n", 3)};
    const sedge_pattern pattern = {.name = "codegen/kernels/n.c", .bindings = values, .count = 1};
    static const char text[] = "int n = $n$;\n";

    CHECK_OK(sedge_folder_make(SEDGE_TEST_DIR "/patterns"));
    CHECK_OK(sedge_file_write(SEDGE_TEST_DIR "/patterns/n.c", text, strlen(text)));
    CHECK(setenv("SEDGE_KERNELS", SEDGE_TEST_DIR "/patterns", 1) == 0);
    check_made(sedge_substitute, &pattern, "int n = 3;\n", __LINE__);
    CHECK(unsetenv("SEDGE_KERNELS") == 0);
}

static void test_damage(void)
{
    static const char *const pieces[] = {"$", "$$", "$n$", "\n", "\\\n", "\"", "(", "/*", "$n"};
    const sedge_binding values[] = {SEDGE_BIND_INTEGER("n", 3), SEDGE_BIND_TEXT("body", "a\nb")};
    const sedge_pattern pattern = {.name = "axpy.c",
                                   .text =
                                       "#define N $n$ \\\n  + $n$\n/* ( */ f($body$);\n$$ '$n$'\n",
                                   .bindings = values,
                                   .count = 2};

    check_damage(sedge_substitute, &pattern, pieces, COUNT(pieces), 5000);
}

int main(void)
{
    test_values();
    test_exact();
    test_lines();
    test_without_lines();
    test_refusals();
    test_file();
    test_damage();
    return CHECK_END();
}
