// Templates: what they write, which lines they keep, what they refuse, and a compiler's message.
#define _DEFAULT_SOURCE // setenv
#include "program/program.h"
#include "text/template.h"
#include "text_kit.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static const char *const names[] = {"ux", "uy", "uz"};
static const int64_t sizes[] = {4, -2};
static const double weights[] = {0.5, -0.25};

// The bindings of all tests; unused ones are used by the first line of `made`.
static const char used[] = "$n$$type$$len(names)$$len(sizes)$$len(weights)$\n";

static void bind(sedge_binding bindings[5])
{
    bindings[0] = SEDGE_BIND_INTEGER("n", 3);
    bindings[1] = SEDGE_BIND_TEXT("type", "float");
    bindings[2] = SEDGE_BIND_TEXTS("names", names, 3);
    bindings[3] = SEDGE_BIND_INTEGERS("sizes", sizes, 2);
    bindings[4] = SEDGE_BIND_FLOATS("weights", weights, 2);
}

// `text` without #line marks.
static void made(const char *text, const char *wanted, int line)
{
    sedge_binding bindings[5];
    char whole[2048];
    sedge_text *out = NULL;

    bind(bindings);
    (void)snprintf(whole, sizeof whole, "%s%s", used, text);
    const sedge_pattern pattern = {
        .name = "t.c", .text = whole, .bindings = bindings, .count = 5, .without_lines = true};
    CHECK_OK(sedge_text_create(&out));
    const sedge_status status = sedge_template_write(out, &pattern);
    const char *const got = status == SEDGE_OK ? strstr(sedge_text_get(out), "3float322\n") : NULL;
    if (got == NULL || strcmp(got + strlen("3float322\n"), wanted) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: wanted '%s', got '%s'\n", __FILE__, line, wanted,
                      got != NULL ? got : sedge_error_message());
    }
    sedge_text_free(out);
}

static void refused(const char *text, const char *message, int line)
{
    sedge_binding bindings[5];
    char whole[4096];

    bind(bindings);
    (void)snprintf(whole, sizeof whole, "%s%s", used, text);
    const sedge_pattern pattern = {.name = "t.c", .text = whole, .bindings = bindings, .count = 5};
    check_refused(sedge_template_write, &pattern, message, line);
}

static void test_expressions(void)
{
    made("$1 + 2 * 3$ $(1 + 2) * 3$ $7 / 2$ $7 % 4$ $-7 / 2$ $-7 % 2$ $2 - 3 - 4$", //
         "7 9 3 3 (-3) (-1) (-5)", __LINE__);
    made("$n < 4$$n > 4$$n <= 3$$n >= 4$$n == 3$$n != 3$ $--3$", "101010 3", __LINE__);
    made("$not 0$ $not n$ $1 and 2$ $0 or 0$ $0 or 7$ $not 0 and 0$ $1 or 0 and 0$",
         "1 0 1 0 1 0 1", __LINE__);
    made("$\"a\" + type + \"b\"$ $type == \"float\"$ $type != \"float\"$ $\"\"$", "afloatb 1 0 ",
         __LINE__);
    made("$names[1]$ $names[n - 1]$ $sizes[0] + sizes[1]$ $weights[0]$ $weights[1]$",
         "uy uz 2 0x1p-1f (-0x1p-2f)", __LINE__);
    made("$9223372036854775807$ $-9223372036854775807 - 1$",
         "9223372036854775807 (-9223372036854775807 - 1)", __LINE__);
    // What cannot change the result is not evaluated.
    made("$n == 3 or 1 / 0 == 1$ $n == 4 and names[7] == \"\"$ $0 and (1 and 1 / 0)$", "1 0 0",
         __LINE__);
    made("$$$n$$$ $ n $", "$3$ 3", __LINE__);
}

static void test_blocks(void)
{
    made("$for i in 0..n$\n$i$ $names[i]$;\n$end$\n", "0 ux;\n1 uy;\n2 uz;\n", __LINE__);
    made("$for i in 0..n$$i$,$end$;", "0,1,2,;", __LINE__);
    made("$for i in n..0$x$end$$for i in 2..2$x$end$;", ";", __LINE__);
    made("$for i in 1..8 step 3$$i$ $end$", "1 4 7 ", __LINE__);
    made("$for i in n..0 step -1$$i$ $end$", "3 2 1 ", __LINE__);
    made("$for i in 9223372036854775805..9223372036854775807 step 2$$i$$end$",
         "9223372036854775805", __LINE__);
    made("  $for i in 0..2$\n    $for j in 0..i + 1$\nx$i$$j$\n    $end$  \n  $end$\n",
         "x00\nx10\nx11\n", __LINE__);
    made("$if n == 1$a$elif n == 3$b$elif 1$c$else$d$end$", "b", __LINE__);
    made("$if n == 1$a$elif n == 2$b$else$d$end$$if 0$e$end$", "d", __LINE__);
    made("$if n > 1$\nyes\n$else$\nno\n$end$\nend\n", "yes\nend\n", __LINE__);
    made("$let a = n$\n$let a = a * a$ $let b = \"x\"$\n$a$$b$\n", "9x\n", __LINE__);
    // A value set again in a block lasts; a new one ends with the block.
    made("$let sum = 0$$for i in 0..4$$let sum = sum + i$$let twice = 2 * sum$$end$$sum$", "6",
         __LINE__);
    made("$for i in 0..2$$let a = \"\"$$for j in 0..3$$let a = a + names[j]$$end$$a$;$end$",
         "uxuyuz;uxuyuz;", __LINE__);
    made("$if 1$$let a = 1$$end$$for a in 0..1$$a$$end$", "0", __LINE__);
    // Lines that hold more than directives stay.
    made("$let a = 1$ $a$\n\n$let b = 2$;\n", " 1\n\n;\n", __LINE__);
}

static void test_lines(void)
{
    sedge_binding bindings[5];

    bind(bindings);
    const sedge_pattern loop = {.name = "t.c",
                                .text = "a\n$for i in 0..n$\nb\nc\n$end$\nd\n",
                                .bindings = bindings,
                                .count = 1};
    check_made(sedge_template_write, &loop,
               "a\n#line 3\nb\nc\n#line 3\nb\nc\n#line 3\nb\nc\n#line 6\nd\n", __LINE__);
    const sedge_pattern macro = {
        .name = "t.c",
        .text = "#define LIST(X) \\\n$for i in 0..n$\n    X($i$) \\\n$end$\n    X(-1)\nint x;\n",
        .bindings = bindings,
        .count = 1};
    check_made(sedge_template_write, &macro,
               "#define LIST(X) \\\n    X(0) \\\n    X(1) \\\n    X(2) \\\n    X(-1)\nint x;\n",
               __LINE__);
    const sedge_pattern call = {.name = "t.c",
                                .text = "f(0\n$for i in 0..n$\n  , $i$\n$end$\n  );\nint x;\n",
                                .bindings = bindings,
                                .count = 1};
    check_made(sedge_template_write, &call, "f(0\n  , 0\n  , 1\n  , 2\n  );\nint x;\n", __LINE__);
    // Empty lines carry no mark; the next line does.
    const sedge_pattern empty = {.name = "t.c",
                                 .text = "$if n == 0$\nx\n\n\n$end$\n\ny\n",
                                 .bindings = bindings,
                                 .count = 1};
    check_made(sedge_template_write, &empty, "\n#line 7\ny\n", __LINE__);
}

static void test_grammar_refused(void)
{
    refused("\n$1 +$", "t.c:3: in '$1 +$': a value is expected at the end", __LINE__);
    refused("$1 2$", "t.c:2: in '$1 2$': an operator or the end is expected at '2'", __LINE__);
    refused("$(1$", "')' is expected at the end", __LINE__);
    refused("$*$", "a value is expected at '*'", __LINE__);
    refused("$2x$", "an operator is expected at 'x'", __LINE__);
    refused("$\"a$", "a text does not end: '\"' is missing", __LINE__);
    refused("$99999999999999999999$", "a number is out of 64 bits", __LINE__);
    refused("$names[0$", "']' is expected at the end", __LINE__);
    refused("$len n$", "'(' is expected at 'n'", __LINE__);
    refused("$for i 0..2$$end$", "in '$for i 0..2$': 'in' is expected at '0..2'", __LINE__);
    refused("$for i in 0.2$$end$", "'..' is expected at '.2'", __LINE__);
    refused("$for in in 0..2$$end$", "a name, not a word of the language, is expected at 'in", //
            __LINE__);
    refused("$for 7 in 0..2$$end$", "a name is expected at '7 in 0..2'", __LINE__);
    refused("$let a 1$", "'=' is expected at '1'", __LINE__);
    refused("$if n$a$else n$$end$", "in '$else n$': an operator or the end is expected at 'n'",
            __LINE__);
    refused("$if n$$end if$", "in '$end if$': an operator or the end is expected at 'if'",
            __LINE__);
    refused("a $ b\n", "t.c:2: '$ b' has no second '$' in its line; a dollar is written '$$'",
            __LINE__);
    refused("$if 1$\n\n", "t.c:2: in '$if 1$': its $end$ is missing", __LINE__);
    refused("$for i in 0..2$\n$if i$\n$end$\n", "t.c:2: in '$for i in 0..2$': its $end$ is missing",
            __LINE__);
    refused("$if 0$$else$\n", "in '$else$': its $end$ is missing", __LINE__);
    refused("$end$", "t.c:2: in '$end$': there is no block here", __LINE__);
    refused("\n\n$else$", "t.c:4: in '$else$': there is no block here", __LINE__);
    refused("$for i in 0..1$$else$$end$", "the block of line 2 is no $if$", __LINE__);
    refused("$if 1$$else$$elif 1$$end$", "it stands behind the $else$ of line 2", __LINE__);
}

static void test_values_refused(void)
{
    refused("$tpye$", "t.c:2: in '$tpye$': 'tpye' has no value; did you mean 'type'?", __LINE__);
    refused("$if 0$\n$elsewhere$\n$end$", "t.c:3: in '$elsewhere$': 'elsewhere' has no value",
            __LINE__);
    refused("$if 1$$let a = 1$$end$$a$", "'a' has no value", __LINE__);
    refused("$for i in 0..2$$end$$i$", "'i' has no value", __LINE__);
    refused("$n + type$", "'+' of an integer and a text", __LINE__);
    refused("$type * type$", "'*' takes integers, not a text", __LINE__);
    refused("$-type$", "'-' takes integers, not a text", __LINE__);
    refused("$weights[0] + weights[1]$", "'+' takes integers, not a float", __LINE__);
    refused("$type == 3$", "'==' of a text and an integer", __LINE__);
    refused("$type < type$", "'<' takes integers, not a text", __LINE__);
    refused("$not type$", "'not' takes integers, not a text", __LINE__);
    refused("$1 and type$", "and takes integers, not a text", __LINE__);
    refused("$type or 1$", "or takes integers, not a text", __LINE__);
    refused("$if type$$end$", "this place takes integers, not a text", __LINE__);
    refused("$names$", "'names' is a list: names[...] or len(names) are values", __LINE__);
    refused("$n[0]$", "'n' is no list and has no index", __LINE__);
    refused("$len(n)$", "'n' is no list and has no length", __LINE__);
    refused("$for i in 0..1$$len(i)$$end$", "'i' is no list and has no length", __LINE__);
    refused("$names[3]$", "names[3] is not there: the list has 3 entries", __LINE__);
    refused("$names[-1]$", "names[-1] is not there", __LINE__);
    refused("$names[type]$", "this place takes integers, not a text", __LINE__);
    refused("$1 / (n - 3)$", "1 / 0 is a division by zero", __LINE__);
    refused("$1 % 0$", "1 % 0 is a division by zero", __LINE__);
    refused("$9223372036854775807 + 1$", "9223372036854775807 + 1 is out of 64 bits", __LINE__);
    refused("$-9223372036854775807 - 2$", "- 2 is out of 64 bits", __LINE__);
    refused("$4294967296 * 4294967296$", "is out of 64 bits", __LINE__);
    refused("$-4294967296 * 4294967296$", "is out of 64 bits", __LINE__);
    refused("$(-9223372036854775807 - 1) * -1$", "is out of 64 bits", __LINE__);
    refused("$(-9223372036854775807 - 1) / -1$", "/ -1 is out of 64 bits", __LINE__);
    refused("$let n = 1$", "'n' is the name of a given value, which stays", __LINE__);
    refused("$for n in 0..1$$end$", "'n' is the name of a given value, which stays", __LINE__);
    refused("$for i in 0..1$$for i in 0..1$$end$$end$", "'i' has a value already", __LINE__);
    refused("$for i in 0..1$$let i = 1$$end$", "'i' counts a loop and cannot be set", __LINE__);
}

static void test_bounds(void)
{
    char text[2048] = "";

    refused("$for i in 0..2 step 0$$end$", "the step is 0", __LINE__);
    refused("$for i in 0..1000000000000$$end$",
            "from 0 to 1000000000000 are too many steps: at most 1000000", __LINE__);
    refused("$for i in -9223372036854775807..9223372036854775807$$end$", "are too many steps",
            __LINE__);
    refused("$for i in 0..2000$$for j in 0..2000$ $end$$end$",
            "more than 1000000 steps: loops run too often", __LINE__);
    refused("$let a = \"0123456789abcdef\"$$for i in 0..60$$let a = a + a$$end$",
            "a text of 131072 bytes is too long: at most 65536", __LINE__);
    refused("$let a = \"0123456789abcdef\"$$for i in 0..12$$let a = a + a$$end$"
            "$for i in 0..1000$$a$$end$",
            "the output is longer than 16777216 bytes", __LINE__);
    for (int i = 0; i <= SEDGE_TEMPLATE_DEPTH; i++) memcpy(text + 6 * i, "$if 1$", 7);
    refused(text, "blocks are nested too deeply: at most 32 levels", __LINE__);
    text[0] = '$';
    for (int i = 0; i <= SEDGE_TEMPLATE_DEPTH; i++) memcpy(text + 1 + 6 * i, "-(not ", 7);
    memcpy(text + 1 + 6 * (SEDGE_TEMPLATE_DEPTH + 1), "$", 2);
    refused(text, "the expression is nested too deeply: at most 32 levels", __LINE__);
    const sedge_binding extra[] = {SEDGE_BIND_INTEGER("n", 1), SEDGE_BIND_INTEGER("m", 1)};
    sedge_pattern pattern = {.name = "t.c", .text = "$n$", .bindings = extra, .count = 2};
    check_refused(sedge_template_write, &pattern, "t.c: the value 'm' is not used", __LINE__);
    // Looked at counts as used.
    pattern.text = "$if n == 2$$m$$end$";
    check_made(sedge_template_write, &pattern, "", __LINE__);
    const sedge_binding word[] = {SEDGE_BIND_INTEGER("step", 1)};
    pattern = (sedge_pattern){.name = "t.c", .text = "", .bindings = word, .count = 1};
    check_refused(sedge_template_write, &pattern, "'step' is a word of the language", __LINE__);
}

// The compiler's message names the template's file and line, and the program's opening comment says
// from what the text was made.
static void test_compiler_message(void)
{
    static const char text[] = "#define LIST(X) \\\n"
                               "$for i in 0..n$\n"
                               "    X(SEDGE_GLOBAL float *, x$i$) \\\n"
                               "$end$\n"
                               "    X(int, count)\n"
                               "SEDGE_KERNEL(broken, 64, LIST)\n"
                               "{\n"
                               "$for i in 0..n$\n"
                               "    x$i$[0] = 1.0f;\n"
                               "$if i == 2$\n"
                               "    undeclared_thing = 1;\n" // line 11
                               "$end$\n"
                               "$end$\n"
                               "}\n";
    const sedge_binding n[] = {SEDGE_BIND_INTEGER("n", 3)};
    const sedge_pattern pattern = {.name = "broken.c", .text = text, .bindings = n, .count = 1};
    sedge_text *made_text = NULL, *whole = NULL;
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;
    sedge_program *program = NULL;

    CHECK_OK(sedge_text_create(&made_text));
    CHECK_OK(sedge_text_create(&whole));
    CHECK_OK(sedge_template_write(made_text, &pattern));
    const sedge_source source = {"broken.c", sedge_text_get(made_text)};
    const sedge_program_options options = {
        .name = "broken", .constants = "", .sources = &source, .count = 1};
    CHECK_OK(sedge_program_write(whole, SEDGE_DEVICE_HOST, &options));
    CHECK(strstr(sedge_text_get(whole), "\n//   broken.c, made from broken.c with n = 3\n") !=
          NULL);
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(sedge_cache_create(&cache, NULL));
    if (device != NULL) {
        CHECK_FAILS(sedge_program_create(&program, NULL, device, cache, &options), SEDGE_ERR_DEVICE,
                    "broken.c:11:");
        CHECK(strstr(sedge_error_message(), "undeclared_thing") != NULL);
    }
    // The refusal of an #include counts the template's lines too.
    sedge_text_free(made_text);
    CHECK_OK(sedge_text_create(&made_text));
    const sedge_pattern include = {.name = "include.c",
                                   .text = "$for i in 0..n$\na;\n$end$\n#include <math.h>\n",
                                   .bindings = n,
                                   .count = 1};
    CHECK_OK(sedge_template_write(made_text, &include));
    const sedge_source refused_source = {"include.c", sedge_text_get(made_text)};
    const sedge_program_options refused_options = {
        .name = "include", .constants = "", .sources = &refused_source, .count = 1};
    CHECK_FAILS(sedge_program_write(whole, SEDGE_DEVICE_HOST, &refused_options), SEDGE_ERR_USAGE,
                "include.c:4: '#include <math.h>'");
    sedge_program_free(program);
    sedge_cache_free(cache);
    sedge_device_free(device);
    sedge_text_free(made_text);
    sedge_text_free(whole);
}

static void test_damage(void)
{
    static const char *const pieces[] = {
        "$",   "$$",     "$end$", "$else$", "$if 1$",     "$for j in 0..9$", "$let a = a + a$",
        "\n",  "(",      ")",     "-",      "not ",       "names[",          "\"",
        "..",  " step ", "1 / 0", "len(",   "99999999",   "$elif 0$",        " and ",
        "$i$", "\\\n",   "i",     "]",      "$let b = 1$"};
    sedge_binding bindings[5];

    bind(bindings);
    const sedge_pattern pattern = {
        .name = "t.c",
        .text = "#define N $n$ \\\n  + $n$\n$let a = \"x\" + type$\n"
                "$for i in 0..len(names)$\n$names[i]$ = $weights[i % 2]$ * f($i + sizes[0]$);\n"
                "$if i == 1 or not (i < n)$\n$for k in 4..0 step -2$$k$,$end$\n$elif i > 1$\n"
                "b$$\n$else$\n$let a = a + \"y\"$\n$a$\n$end$\n$end$\n",
        .bindings = bindings,
        .count = 5};

    check_damage(sedge_template_write, &pattern, pieces, COUNT(pieces), 4000);
}

int main(void)
{
    test_expressions();
    test_blocks();
    test_lines();
    test_grammar_refused();
    test_values_refused();
    test_bounds();
    test_compiler_message();
    test_damage();
    sedge_device_stop_helper();
    return CHECK_END();
}
