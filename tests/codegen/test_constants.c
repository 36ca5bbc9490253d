// Constants of a program: the macros that nothing mentions are left out, all others stay.
#include "check.h"
#include "program/constants.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void check_written(int line, const char *constants, const char *text, const char *wanted)
{
    sedge_text *out = NULL;
    const char *const texts[] = {"int prelude = IN_PRELUDE;\n", text};

    CHECK_OK(sedge_text_create(&out));
    CHECK_OK(sedge_constants_write(out, constants, texts, 2));
    if (strcmp(sedge_text_get(out), wanted) != 0) {
        (void)fprintf(stderr, "line %d: '%s' instead of '%s'\n", line, sedge_text_get(out), wanted);
        CHECK(false);
    }
    sedge_text_free(out);
}

#define WRITTEN(constants, text, wanted) check_written(__LINE__, constants, text, wanted)

static void test_mentions(void)
{
    WRITTEN("", "int a;\n", "");
    WRITTEN("#define A 1\n#define B 2\n", "int b = B;\n", "#define B 2\n");
    WRITTEN("#define IN_PRELUDE 1\n#define AB 2\n", "int A, BAB, AB1;\n", "#define IN_PRELUDE 1\n");
    WRITTEN("#define A 1", "#if A\n", "#define A 1"); // no newline at the end
    // What a macro mentions, defined before it or behind it, through several.
    WRITTEN("#define A B\n#define C A\n#define B 1\n#define D C\n", "C\n",
            "#define A B\n#define C A\n#define B 1\n");
    WRITTEN("#define A B\n#define B A\n", "int a;\n", "");
    WRITTEN("#define A B\n#define B A\n", "B", "#define A B\n#define B A\n");
    // Lines that are no macros stay, and what they mention; both definitions of one name do.
    WRITTEN("#ifndef A\n#define A 1\n#endif\n#define B 2\n", "int a;\n",
            "#ifndef A\n#define A 1\n#endif\n");
    WRITTEN("#define A 1\n#define B 2\n#undef A\n#define A B\n", "A",
            "#define A 1\n#define B 2\n#undef A\n#define A B\n");
    WRITTEN("static const int t[] = {N};\n#define N 3\n", "int a;\n",
            "static const int t[] = {N};\n#define N 3\n");
    WRITTEN(" # define A(x) \\\n  x + \\\n  B\n#define B 1\n#define C 2\n", "A(1)",
            " # define A(x) \\\n  x + \\\n  B\n#define B 1\n");
    WRITTEN(" # define A(x) \\\n  x + \\\n  B\n#define B 1\n", "int C;\n", "");
}

static void test_comments(void)
{
    WRITTEN("#define A 1\n#define B 2\n", "int a; // A\nint b = B;\n", "#define B 2\n");
    WRITTEN("#define A 1\n#define B 2\n", "/* A\n A*/int b = B; /**/", "#define B 2\n");
    WRITTEN("#define A 1\n", "x = 1 / A;\n", "#define A 1\n");
    // No comment begins inside of a string or a character; _Pragma reads names in strings.
    WRITTEN("#define A 1\n", "puts(\"// \\\" //\"), A;\n", "#define A 1\n");
    WRITTEN("#define A 1\n", "c = '\"', d = '\\'', e = f(\"//\", A);\n", "#define A 1\n");
    WRITTEN("#define A 1\n", "_Pragma(\"omp simd simdlen(A)\")\n", "#define A 1\n");
}

// ## puts names together.
static void test_joined(void)
{
    static const char constants[] = "#define WORDS_0 1\n#define WORDS_1 2\n#define PLACE 3\n";

    WRITTEN(constants, "#define F(i) WORDS_##i\n", "#define WORDS_0 1\n#define WORDS_1 2\n");
    WRITTEN(constants, "#define F(i) (a, \\\n WORDS_ ## i)\n",
            "#define WORDS_0 1\n#define WORDS_1 2\n");
    WRITTEN(constants, "#define F(i) i##_1\n", "#define WORDS_1 2\n");
    WRITTEN(constants, "#define F(i, name) name##f\n", "");
    WRITTEN(constants, "#define F(i, k) \\\n    i##k\n", constants);
    WRITTEN(constants, "#define F(i, k) i##_##k\n", "#define WORDS_0 1\n#define WORDS_1 2\n");
    WRITTEN("#define A 1\n#define J(x, y) x##y\n", "J(P, A)\n",
            "#define A 1\n#define J(x, y) x##y\n");
    WRITTEN("#define B 1\n#define J(x, y) x##y\n", "J(P, A)\n",
            "#define B 1\n#define J(x, y) x##y\n");
}

int main(void)
{
    test_mentions();
    test_comments();
    test_joined();
    return CHECK_END();
}
